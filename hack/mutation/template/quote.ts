/** Go's short escapes; https://go.dev/ref/spec#Rune_literals has the whole list. */
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The text that a string literal of Go stands for, quoted or raw. */
export const unquote = (literal: string): string =>
  literal.startsWith('`')
    ? literal.slice(1, -1)
    : literal
        .slice(1, -1)
        .replaceAll(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/g, (_, code: string) => {
          const short = ESCAPES[code];
          if (short !== undefined) return short;
          const digits = code.replace(/^[xuU]/, '');
          return String.fromCodePoint(Number.parseInt(digits, digits === code ? 8 : 16));
        });

/** A string literal of Go for a text. JSON's escapes are all Go's too. */
export const quote = (text: string): string => JSON.stringify(text);
