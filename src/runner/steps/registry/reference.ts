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
