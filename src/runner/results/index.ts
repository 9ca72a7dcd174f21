export { inWords, OBJECT_BUDGET, WHOLE_LIMIT } from './budget.ts';
export { type Layout, layOut } from './layout.ts';
export type { BinaryEntry, Result, ResultEntry, TextEntry } from './result.ts';
export { describeHolding, type ResultStore, writeResult } from './store.ts';
export { cleanText } from './text.ts';
