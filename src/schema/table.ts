import { keysOf, type ValuesModel } from './model.ts';

/** The values as one Markdown table a section. */
export const valuesTable = (model: ValuesModel): string =>
  model.sections
    .map((section) => {
      const rows = keysOf({ ...model, sections: [section] }).map(
        (key) =>
          `| \`${key.path.join('.')}\` | \`${cell(JSON.stringify(key.default))}\` | ${cell(key.description)} |`,
      );
      const text = section.text === '' ? '' : `\n${section.text}\n`;
      return [`#### ${section.name}`, text, '| key | default | meaning |', '|---|---|---|', ...rows].join(
        '\n',
      );
    })
    .join('\n\n');

const cell = (text: string): string => text.replaceAll('|', '\\|');
