/** Keep the evidence bundle that `aicr validate` emitted. */
export interface EvidenceStep {
  readonly name: 'evidence';
  /** What the step does, for people. */
  readonly does: string;
  /** What `--emit-attestation` was given: pointer.yaml and summary-bundle/. */
  readonly dir: string;
  /** Where the packed bundle is put. */
  readonly archive: string;
  readonly target: EvidenceTarget;
}

/** What a step needs to know of the ConfigMap that receives the evidence. */
export interface EvidenceTarget {
  readonly configMap: string;
  readonly release: string;
  readonly namespace: string;
}
