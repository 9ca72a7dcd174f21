import { readLine, rowLists } from '../yaml/index.ts';
import type { Mutation, Operator } from './mutation.ts';

const EVERYTHING: ReadonlySet<string> = new Set(['apiGroups', 'resources', 'verbs']);
const RBAC = /^kind: ["']?(Cluster)?Role(Binding)?["']?\s*$/m;

/** Rules that allow everything of a kind, and bindings to the role that allows everything. */
export const widenRights: Operator = ({ template }) => {
  if (!RBAC.test(template.source)) return [];
  return rowLists(template).flatMap((rows) => {
    let parent = '';
    return rows.flatMap((row): readonly Mutation[] => {
      if (row.kind !== 'text') return [];
      const member = readLine(row.masked)?.members.find(({ kind }) => kind === 'key');
      if (member === undefined) return [];
      if (member.bare) parent = member.key;
      const colon = row.masked.indexOf(':', member.start) + 1;
      const value = { start: row.start + colon, end: row.start + member.end };
      if (EVERYTHING.has(member.key) && !member.bare) {
        return [{ operator: 'widen-rights', ...value, replacement: ' ["*"]' }];
      }
      return member.key === 'name' && parent === 'roleRef'
        ? [{ operator: 'widen-rights', ...value, replacement: ' cluster-admin' }]
        : [];
    });
  });
};
