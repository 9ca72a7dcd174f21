export { inWords, OBJECT_BUDGET, WHOLE_LIMIT } from './budget.ts';
export { type Layout, layOut } from './layout.ts';
export { type BinaryEntry, NOTES_KEY, type Result, type ResultEntry, type TextEntry } from './result.ts';
export { describeHolding, PART_LABEL, type ResultStore, writeResult } from './store.ts';
export { cleanText } from './text.ts';
