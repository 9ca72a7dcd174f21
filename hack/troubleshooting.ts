import { EXIT_CODES, EXPLANATIONS, type ReasonCode } from '../src/contract/index.ts';

/** The page docs/troubleshooting.md, made of the contract's reason codes. */
export function troubleshootingPage(): string {
  const codes = Object.keys(EXIT_CODES) as ReasonCode[];
  return `# When it fails

<!-- Made of src/contract/explanations.ts by npm run generate; do not edit. -->

\`nvidia-aicr-chart status <release> -n <namespace>\` says why and what to do, also when no pod ever started or the run was
killed: see [The status](status.md). Without the command: the reason stands first in the pod's termination message, in the
status ConfigMap (\`reason\`, \`message\`, \`hint\`), in an Event of the Job and at the end of the log:

\`\`\`
kubectl get configmap <fullname>-status -n <namespace> -o jsonpath='{.data.summary\\.txt}'
kubectl describe pod -n <namespace> -l nvidia-aicr/release=<release>
kubectl get events -n <namespace>
\`\`\`

When no pod ever started, the Job says why: \`kubectl describe job -n <namespace>\` (quota, Pod Security, admission),
and the pod's own Events (an image that cannot be pulled, no node that fits). An init container that failed names what
is wrong with \`nodeImage\` or \`orasImage\` in its termination message.

A status that says \`Running\` while the Job has failed or is gone is that of a run that was killed: see
[After a kill](run.md#after-a-kill).

${codes.map(section).join('\n\n')}
`;
}

const section = (code: ReasonCode): string => {
  const { cause, look, act } = EXPLANATIONS[code];
  return `## ${code}

Exit code ${EXIT_CODES[code]}. ${cause}

- Where to look: ${look}
- What to do: ${act}`;
};
