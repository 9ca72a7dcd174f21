import { type Body, bodiesOf, type Template } from '../template/index.ts';
import type { SourceFile } from './mutant.ts';

/**
 * Name of a body, by which coverage and mutants agree.
 * @param path of the file in the chart
 * @param index of the body in `bodiesOf`
 */
export const bodyName = (path: string, index: number): string => `${path}#${index}`;

/**
 * The innermost body that has this stretch of the source: what decides whether it is executed. The condition of a
 * block belongs to the body that the block stands in.
 */
export const bodyAround = (template: Template, start: number, end: number): { body: Body; index: number } => {
  let found = 0;
  const bodies = bodiesOf(template);
  for (const [index, body] of bodies.entries()) {
    if (index === 0) continue;
    const last = body.nodes.at(-1)?.end ?? body.start;
    // Later ones are further in, or beside.
    if (body.start <= start && end <= last) found = index;
  }
  const body = bodies[found];
  if (body === undefined) throw new RangeError('a template without a body');
  return { body, index: found };
};

/**
 * The file with a marker at the start of each body: a call of `lookup` that renders nothing and tells the renderer
 * that the body was reached.
 */
export const withMarkers = ({ path, text }: SourceFile, template: Template): string => {
  const markers = bodiesOf(template).map(({ start, branch }, index) => ({
    start,
    // What stands behind the tag is trimmed as before.
    text: `{{ $_ := lookup "v1" "Coverage" "" "${bodyName(path, index)}" ${branch?.tag.close ?? '}}'}`,
  }));
  let marked = '';
  let at = 0;
  for (const marker of markers.sort((a, b) => a.start - b.start)) {
    marked += text.slice(at, marker.start) + marker.text;
    at = marker.start;
  }
  return marked + text.slice(at);
};
