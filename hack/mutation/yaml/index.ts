export { extentOf } from './extent.ts';
export { type Line, type MemberPlace, readLine, type ScalarPlace } from './line.ts';
export { HOLE, type Row, rowLists } from './rows.ts';
