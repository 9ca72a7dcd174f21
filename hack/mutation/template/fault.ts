/** What a template's syntax does not allow, with its place. */
export class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault';
  readonly line: number;
  readonly column: number;

  /**
   * @param source the whole template
   * @param at offset of the fault
   * @param what stands there
   */
  constructor(source: string, at: number, what: string) {
    const before = source.slice(0, at).split('\n');
    const line = before.length;
    const column = (before.at(-1) ?? '').length + 1;
    super(`line ${line}, column ${column}: ${what}`);
    this.line = line;
    this.column = column;
  }
}
