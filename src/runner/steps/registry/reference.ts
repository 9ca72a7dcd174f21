/** Where an artifact lives, as far as credentials are concerned. */
export interface Registry {
  /** Host with its port, in lower case: `r.example:5000`. */
  readonly host: string;
  /** Repository without tag and digest: `acme/pack`. */
  readonly repository: string;
}

/**
 * Takes registry and repository out of an OCI reference. The reference is not judged here: oras does that.
 * @param ref `host[:port]/repository[:tag][@digest]`
 */
export function registryOf(ref: string): Registry {
  const slash = ref.indexOf('/');
  const host = slash < 0 ? ref : ref.slice(0, slash);
  const repository = slash < 0 ? '' : ref.slice(slash + 1);
  return { host: host.toLowerCase(), repository: repository.replace(/@.*/, '').replace(/:[^:/]*$/, '') };
}

/**
 * What to add to a hint about a registry that is not found: docker alone reads `acme/pack` as one of its Hub's, and oras
 * and aicr take `acme` for the host.
 * @returns empty for a host that looks like one; otherwise a sentence with a blank before it
 */
export const hubHint = ({ host, repository }: Registry): string =>
  host === 'localhost' || /[.:]/.test(host)
    ? ''
    : ` If ${host} is not a host but an account at the Docker Hub, write docker.io/${host}/${repository}.`;

/** What to do about a registry that cannot be reached. */
export const reachHint = (registry: Registry): string =>
  `Check that ${registry.host} is up and can be reached from this node.${hubHint(registry)}`;
