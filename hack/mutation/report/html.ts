import type { SourceFile } from '../catalogue/index.ts';
import { closingLine, type Result, type Score, type Status } from '../run/score.ts';
import { diffOf } from './diff.ts';

const STYLE = `
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1c1c1c }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.line { display: grid; grid-template-columns: 3.5rem 3.5rem 1fr; font: 12px/1.5 ui-monospace, monospace }
.line > span { padding: 0 .5rem; text-align: right; color: #777 }
.line code, .line summary { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
.killed { background: #e4f6e4 } .equivalent { background: #fff6d6 } .survived { background: #ffdcdc }
summary { cursor: pointer }
pre { margin: .25rem 0 .75rem; padding: .5rem; background: #fff; border: 1px solid #ddd; white-space: pre-wrap }
`;

/** The report as one page that needs nothing else: each file of the chart with its lines coloured. */
export const htmlReport = (
  score: Score,
  files: readonly SourceFile[],
  origin: (file: string) => string,
): string => {
  const mutated = files.filter(({ path }) => score.results.some(({ mutant }) => mutant.file === path));
  const sections = mutated.map((file) => {
    const own = score.results.filter(({ mutant }) => mutant.file === file.path);
    const survived = own.filter(({ status }) => status === 'survived').length;
    const title = `${escaped(origin(file.path))}: ${own.length} mutants, ${survived} survived`;
    return `<h2>${title}</h2>\n${linesOf(file, own)}`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Mutants of the chart</title>
<style>${STYLE}</style>
<h1>Mutants of the chart</h1>
<p>${escaped(closingLine(score))}</p>
<p><span class="killed">every mutant of the line was noticed</span>, <span class="equivalent">some change
nothing</span>, <span class="survived">some went unnoticed</span>. A line opens to show its mutants.</p>
${score.faults.map((fault) => `<p class="survived">${escaped(fault)}</p>`).join('\n')}
${sections.join('\n')}
</html>
`;
};

const linesOf = ({ text }: SourceFile, results: readonly Result[]): string =>
  text
    .split('\n')
    .map((line, index) => {
      const own = results.filter(({ mutant }) => mutant.line === index + 1);
      const code = escaped(line === '' ? ' ' : line);
      const content = own.length === 0 ? `<code>${code}</code>` : details(code, own, text);
      const count = own.length === 0 ? '' : own.length;
      return `<div class="line ${worst(own)}"><span>${index + 1}</span><span>${count}</span>${content}</div>`;
    })
    .join('\n');

const details = (code: string, results: readonly Result[], text: string): string => {
  const entries = results.map(({ mutant, status, verdict, reason }) => {
    const end = reason !== '' ? reason : verdict.killer;
    const head = `${mutant.id} ${mutant.operator}: ${status}${end === '' ? '' : ` (${end})`}`;
    return `<div class="${worst([{ status }])}">${escaped(head)}</div><pre>${escaped(diffOf(mutant, text))}</pre>`;
  });
  return `<details><summary>${code}</summary>${entries.join('')}</details>`;
};

const worst = (results: readonly { status: Status }[]): string =>
  (['survived', 'equivalent', 'killed'] as const).find((wanted) =>
    results.some(({ status }) => status === wanted || (wanted === 'killed' && status === 'killed-by-render')),
  ) ?? '';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
