import Handlebars from 'handlebars';

/** A file of chart-templates, or of the chart. The path is relative, with forward slashes. */
export interface ChartFile {
  readonly path: string;
  readonly data: Uint8Array;
}

/** Order of a chart's files, the same everywhere. */
// Stryker disable next-line EqualityOperator: no two files have one path
export const byPath = (a: ChartFile, b: ChartFile): number => (a.path < b.path ? -1 : 1);

/** A template that does not parse, or names something that is not there; the message holds file and line. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Fills a Handlebars template. A Helm action in it is written `\{{ … }}`.
 * @param file path for messages
 * @param context what the template may name; anything else is an error
 * @throws TemplateError
 */
export const fill = (file: string, text: string, context: Readonly<Record<string, string>>): string => {
  try {
    // The engine of its own keeps helpers that others register out of the chart.
    return Handlebars.create().compile(text, { strict: true, noEscape: true })(context);
  } catch (error) {
    const { message, lineNumber } = error as Handlebars.Exception;
    // Handlebars puts the line of a missing name into the error, that of a syntax error into its text only.
    const inText = /(?<=Parse error on line )\d+/.exec(message)?.[0];
    const what = inText === undefined ? message : message.split('\n').slice(1).join(' ');
    throw new TemplateError(`${file}:${lineNumber ?? inText ?? '?'}: ${what}`, { cause: error });
  }
};
