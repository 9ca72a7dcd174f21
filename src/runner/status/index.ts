export { newStatus, position, shownStatus } from './document.ts';
export { type EarlierRun, earlierRuns, hasInstalled } from './history.ts';
export { isNewestRun } from './newest.ts';
export { createRecorder, type RunEnd, type RunRecorder } from './recorder.ts';
export { summaryText } from './summary.ts';
export { createStatusWriter, noWriter, type StatusWriter } from './writer.ts';
