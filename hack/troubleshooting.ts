import { EXIT_CODES, EXPLANATIONS, type ReasonCode } from '../src/contract/index.ts';

/** The page docs/troubleshooting.md, made of the contract's reason codes. */
export function troubleshootingPage(): string {
  const codes = Object.keys(EXIT_CODES) as ReasonCode[];
  return `# When it fails

<!-- Made of src/contract/explanations.ts by npm run generate; do not edit. -->

The reason stands first in the pod's termination message, in the status ConfigMap (\`reason\`, \`message\`, \`hint\`), in an
Event of the Job and at the end of the log:

\`\`\`
kubectl get configmap <fullname>-status -n <namespace> -o jsonpath='{.data.summary\\.txt}'
kubectl describe pod -n <namespace> -l nvidia-aicr/release=<release>
kubectl get events -n <namespace>
\`\`\`

When no pod ever started, the Job says why: \`kubectl describe job -n <namespace>\` (quota, Pod Security, admission),
and the pod's own Events (an image that cannot be pulled, no node that fits). An init container that failed names what
is wrong with \`nodeImage\` or \`orasImage\` in its termination message.

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
