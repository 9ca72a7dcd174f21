const LONGEST_KEY = 253;

/**
 * Makes a legal, unused ConfigMap key of a name: `[-._a-zA-Z0-9]+`, at most 253 characters, not `.` nor beginning with
 * `..` (https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#configmap-v1-core).
 * @param name wanted key; illegal characters become `-`
 * @param taken keys in use; the result is another one, told apart by a number
 */
export function legalKey(name: string, taken: ReadonlySet<string>): string {
  const cleaned = name
    .replace(/[^-._a-zA-Z0-9]+/g, '-')
    .replace(/^\.+$|^\.\./, '-')
    .slice(0, LONGEST_KEY);
  const base = cleaned === '' ? '-' : cleaned;
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const key = base.slice(0, LONGEST_KEY - suffix.length) + suffix;
    if (!taken.has(key)) return key;
  }
}
