const TAG = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Compares two release tags by semantic versioning, with one exception: the number in `rc10` counts as a number.
 * aicr's candidates are named so, and semver would put rc10 before rc9.
 * @returns negative when `a` is the older one, 0 when they are the same, null when one of them is no such tag
 */
export function compareVersions(a: string, b: string): number | null {
  const first = TAG.exec(a);
  const second = TAG.exec(b);
  if (first === null || second === null) return null;
  for (const part of [1, 2, 3]) {
    const difference = Number(first[part]) - Number(second[part]);
    if (difference !== 0) return difference;
  }
  return compareCandidates(first[4], second[4]);
}

/** A release comes after its candidates. */
function compareCandidates(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const others = identifiers(b);
  for (const [index, own] of identifiers(a).entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(own, other);
    if (order !== 0) return order;
  }
  return identifiers(a).length - others.length;
}

/** `rc10.2` as rc, 10, 2: each all digits, or without any. */
const identifiers = (candidate: string): readonly string[] => candidate.match(/\d+|[A-Za-z-]+/g) ?? [];

/** Numbers come before words. */
function compareIdentifiers(a: string, b: string): number {
  const numeric = [a, b].map((each) => /\d/.test(each));
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
