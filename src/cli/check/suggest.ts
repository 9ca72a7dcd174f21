/**
 * Finds the key that was likely meant.
 * @param wrong path of a key that is not there, for example `job.tolerration` or `tolerations`
 * @param known paths of all keys and groups
 * @returns a known path, or undefined when none is near
 */
export const suggest = (wrong: string, known: readonly string[]): string | undefined => {
  const name = lastName(wrong);
  const near = known
    // A sibling first: among equals, the one in the same place is the likelier.
    .map((path) => ({
      path,
      cost: 2 * distance(name, lastName(path)) + (parent(path) === parent(wrong) ? 0 : 1),
    }))
    .filter(({ cost }) => cost <= 2 * Math.max(1, Math.floor(name.length / 3)) + 1)
    .sort((a, b) => a.cost - b.cost);
  return near[0]?.path;
};

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1).toLowerCase();
const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** Edits between two words: a letter added, left out or replaced, or two neighbours swapped. */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
};
