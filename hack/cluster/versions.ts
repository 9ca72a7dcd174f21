/**
 * Versions of everything the throwaway cluster is made of. The Kubernetes and etcd numbers are also in
 * tools/kubernetes/go.mod and tools/etcd/go.mod: change both.
 */
export const VERSIONS = {
  kubernetes: '1.36.3',
  etcd: '3.6.16',
  helm3: '3.22.0',
  helm4: '4.3.1',
  oras: '1.3.6',
  kind: '0.33.0',
  /** Only built where Debian's docker-registry is not at hand. */
  registry: '3.1.2',
} as const;

/** The oldest Go that can build all of them (the `go` line of tools/kubernetes/go.mod). */
export const OLDEST_GO = '1.26';
