/** Words of Kubernetes and Helm that stand for others of the same field. */
const MEMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Never: 'OnFailure',
    Failed: 'TerminatingOrFailed',
    Ignore: 'Count',
    FailJob: 'Ignore',
    NotIn: 'In',
    In: 'NotIn',
    DoesNotExist: 'Exists',
    Exists: 'DoesNotExist',
    DisruptionTarget: 'Ready',
    linux: 'windows',
    FallbackToLogsOnError: 'File',
    IfNotPresent: 'Always',
    ClusterRole: 'Role',
    'kubernetes.io/dockerconfigjson': 'Opaque',
    v1: 'v1beta1',
    amd64: 'arm64',
    arm64: 'amd64',
  }),
);

type Fields = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Fields that confine a pod or keep a Secret, and what loosens each. */
const SECURITY: Fields = new Map<string, Readonly<Record<string, string>>>(
  Object.entries({
    runAsNonRoot: { true: 'false' },
    readOnlyRootFilesystem: { true: 'false' },
    allowPrivilegeEscalation: { false: 'true' },
    privileged: { false: 'true' },
    hostNetwork: { false: 'true' },
    hostPID: { false: 'true' },
    hostIPC: { false: 'true' },
    automountServiceAccountToken: { false: 'true' },
    enableServiceLinks: { false: 'true' },
    readOnly: { true: 'false' },
    immutable: { true: 'false' },
    type: { RuntimeDefault: 'Unconfined' },
    runAsUser: { 65532: '0' },
    runAsGroup: { 65532: '0' },
    fsGroup: { 65532: '0' },
    defaultMode: { 288: '420' },
    expirationSeconds: { 3607: '86400' },
  }),
);

/** Parts of a rule and of a binding, and what gives more rights in each. */
const RIGHTS: Fields = new Map<string, Readonly<Record<string, string>>>(
  Object.entries({
    kind: { ServiceAccount: 'Group', RoleBinding: 'ClusterRoleBinding', Role: 'ClusterRole' },
  }),
);

export interface Change {
  readonly operator: 'change-literal' | 'change-member' | 'change-security-field' | 'widen-rights';
  readonly value: string | number | boolean;
}

/**
 * Another value for a scalar, by the key it stands under.
 * @param key of the map around it, or an empty text
 * @param value a text, number or boolean
 * @returns nothing for a value of another kind
 */
export const changed = (key: string, value: unknown): Change | undefined => {
  const security = replacementIn(SECURITY, key, value);
  if (security !== undefined) return { operator: 'change-security-field', value: like(value, security) };
  const rights = replacementIn(RIGHTS, key, value);
  if (rights !== undefined) return { operator: 'widen-rights', value: rights };
  if (typeof value === 'boolean') return { operator: 'change-literal', value: !value };
  if (typeof value === 'number') return { operator: 'change-literal', value: value + 1 };
  if (typeof value !== 'string') return undefined;
  const member = MEMBERS.get(value);
  if (member !== undefined) return { operator: 'change-member', value: member };
  return { operator: 'change-literal', value: changedText(value) };
};

const replacementIn = (fields: Fields, key: string, value: unknown): string | undefined => {
  const known = fields.get(key);
  return known !== undefined && Object.hasOwn(known, String(value)) ? known[String(value)] : undefined;
};

const like = (value: unknown, text: string): string | number | boolean =>
  typeof value === 'number' ? Number(text) : typeof value === 'boolean' ? text === 'true' : text;

/** A sentence goes, anything else gets a letter more: a name that is nearly right is the harder one to notice. */
const changedText = (text: string): string => (/\S\s+\S+\s/.test(text) ? '' : `${text}x`);
