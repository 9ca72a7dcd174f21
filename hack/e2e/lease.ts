import type { KubeObject } from './namespace.ts';
import type { Scenario } from './scenario.ts';

interface Lease extends KubeObject {
  readonly spec: { readonly holderIdentity?: string };
}

/** Who holds the scenario's Lease, `<namespace>/<pod>/<uid>`; empty when nobody does. */
export async function leaseHolder({ namespace }: Scenario): Promise<string> {
  return (await namespace.find<Lease>('lease', 'nvidia-aicr'))?.spec.holderIdentity ?? '';
}
