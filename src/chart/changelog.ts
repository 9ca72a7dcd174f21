/** What Artifact Hub calls the kinds of changes; Keep a Changelog has the same six. */
const KINDS = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;

/** One entry of a changelog. */
export interface Change {
  readonly kind: (typeof KINDS)[number];
  /** One line of Markdown. */
  readonly description: string;
}

/**
 * The entries of one version in a file of the form of Keep a Changelog. A version without a section is one that has
 * not been released yet: for it the section "Unreleased" counts.
 * @param changelog the whole file
 * @param version without `v`
 * @throws Error naming a heading that is no kind of change
 */
export const changesOf = (changelog: string, version: string): readonly Change[] => {
  const lines = sectionOf(changelog, version) ?? sectionOf(changelog, 'Unreleased');
  if (lines === undefined) return [];
  const changes: Change[] = [];
  let kind: Change['kind'] | undefined;
  for (const line of lines) {
    const heading = /^### +(.+?) *$/.exec(line)?.[1];
    if (heading !== undefined) {
      kind = KINDS.find((known) => known === heading.toLowerCase());
      if (kind === undefined)
        throw new Error(`CHANGELOG.md: ${version}: "${heading}" is none of ${KINDS.join(', ')}`);
      continue;
    }
    const item = /^- +(.+?) *$/.exec(line)?.[1];
    const last = changes.at(-1);
    if (item !== undefined) {
      if (kind === undefined) throw new Error(`CHANGELOG.md: ${version}: "${item}" stands below no heading`);
      changes.push({ kind, description: item });
    } else if (last !== undefined && /^ +\S/.test(line)) {
      changes[changes.length - 1] = { ...last, description: `${last.description} ${line.trim()}` };
    }
  }
  return changes;
};

/**
 * The day on which a version was released, as its heading says: `## [0.3.0] - 2026-11-30`.
 * @returns undefined when it has no heading, or one without a day
 */
export const releaseDayOf = (changelog: string, version: string): string | undefined =>
  changelog.split('\n').flatMap((line) => {
    const day = /(?<=^## \[([^\]]+)\] - )\d{4}-\d{2}-\d{2}$/.exec(line.trimEnd());
    return day?.[1] === version ? [day[0]] : [];
  })[0];

/** The lines below the heading `## [name]`, up to the next one; undefined when there is none. */
const sectionOf = (changelog: string, name: string): readonly string[] | undefined => {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`## [${name}]`));
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
};
