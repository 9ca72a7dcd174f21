/**
 * Versions of everything the throwaway cluster is made of. The Kubernetes, etcd and Flux numbers are also in
 * the go.mod files below tools/: change both.
 */
export const VERSIONS = {
  kubernetes: '1.36.3',
  etcd: '3.6.16',
  helm3: '3.22.0',
  /** The oldest Helm that the chart promises to work with. */
  helm314: '3.14.4',
  helm4: '4.3.1',
  oras: '1.3.6',
  kind: '0.33.0',
  /** Reads .github/workflows. */
  actionlint: '1.7.12',
  /** Only built where Debian's docker-registry is not at hand. */
  registry: '3.1.2',
  /** Make the CustomResourceDefinitions that the examples are checked with. */
  controllerGen: '0.21.0',
  fluxHelm: '1.6.5',
  fluxSource: '1.9.6',
  argocd: '3.5.7',
} as const;

/** The oldest Go that can build all of them (the `go` line of tools/kubernetes/go.mod). */
export const OLDEST_GO = '1.26';
