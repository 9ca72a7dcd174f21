/** One thing that a bundle always needs, as a SelfSubjectAccessReview asks for it. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** Anything to everything: what cluster-admin may. */
export const EVERYTHING: Right = { verb: '*', group: '*', resource: '*' };

/**
 * What installing any recipe takes: Helm's own records, namespaces, the kinds that every operator's chart brings, and
 * the labels and taints that deploy.sh sets on nodes. Each is asked for in all namespaces.
 */
export const NEEDED: readonly Right[] = [
  { verb: 'create', group: '', resource: 'namespaces' },
  { verb: 'create', group: '', resource: 'secrets' },
  { verb: 'list', group: '', resource: 'secrets' },
  { verb: 'create', group: '', resource: 'configmaps' },
  { verb: 'delete', group: '', resource: 'configmaps' },
  { verb: 'create', group: '', resource: 'serviceaccounts' },
  { verb: 'create', group: '', resource: 'services' },
  { verb: 'list', group: '', resource: 'nodes' },
  { verb: 'patch', group: '', resource: 'nodes' },
  { verb: 'create', group: 'apps', resource: 'deployments' },
  { verb: 'create', group: 'apps', resource: 'daemonsets' },
  { verb: 'create', group: 'batch', resource: 'jobs' },
  { verb: 'create', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
  { verb: 'create', group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
  { verb: 'create', group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
];

/** `create customresourcedefinitions.apiextensions.k8s.io`, as `kubectl auth can-i` takes it. */
export const describeRight = ({ verb, group, resource }: Right): string =>
  group === '' ? `${verb} ${resource}` : `${verb} ${resource}.${group}`;
