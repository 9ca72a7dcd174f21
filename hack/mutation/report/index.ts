export { htmlReport } from './html.ts';
export { jsonReport } from './json.ts';
export { textReport } from './text.ts';
