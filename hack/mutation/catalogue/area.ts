import type { Area, SourceFile } from './mutant.ts';

const RBAC_KINDS = /^kind: ["']?((Cluster)?Role(Binding)?|ServiceAccount)["']?\s*$/m;
const SECRET_KIND = /^kind: ["']?Secret["']?\s*$/m;
const SECURITY_WORDS =
  /securityContext|runAs(NonRoot|User|Group)|fsGroup|readOnly|allowPrivilege|privileged|capabilities|seccomp|automountServiceAccountToken|serviceAccountToken|confinement|immutable|host(Network|PID|IPC)\b/i;
const SECRET_WORDS = /secret|dockerconfig|packAuth|pack-auth|authDigest|credential/i;

/** Where in a chart a mutation is. */
export interface Place {
  readonly file: SourceFile;
  readonly scope: string;
  readonly original: string;
  /** The line that it starts in. */
  readonly line: string;
}

/**
 * Which part of a chart a mutation touches, judged by names and kinds, so that new templates are judged too. Of
 * several, the one in which a fault is worst.
 */
export const areaOf = ({ file, scope, original, line }: Place): Area => {
  const words = `${scope}\n${line}\n${original}`;
  if (SECURITY_WORDS.test(words)) return 'security';
  if (RBAC_KINDS.test(file.text) || /rbac|serviceAccount|clusterRole/.test(words)) return 'rbac';
  if (SECRET_KIND.test(file.text) || SECRET_WORDS.test(words)) return 'secret';
  return /guard/i.test(file.path) || /guard/i.test(scope) ? 'guards' : 'other';
};
