/** A recipe with the shape that aicr writes, with a part of each kind. */
export const RECIPE = `apiVersion: aicr.run/v9
kind: RecipeResult
criteria: {service: eks, accelerator: h100, intent: training, os: any, platform: any}
metadata:
  version: 1.2.0
  appliedOverlays: [base, h100-any, h100-eks-training]
  selectedProfile: {name: gpuStack, value: operator-managed}
  constraintWarnings:
    - {overlay: h100-eks-ubuntu, constraint: OS.release.ID, expected: ubuntu, actual: rhel, reason: not met}
constraints:
  - {name: K8s.server.version, value: ">= 1.32.4"}
deploymentOrder: [cert-manager, gpu-operator, site-settings]
componentRefs:
  - name: gpu-operator
    type: Helm
    namespace: gpu-operator
    chart: gpu-operator
    version: v26.7.2
    source: https://charts.example
    healthCheckAsserts: |
      one
      two
  - {name: cert-manager, type: Helm, namespace: cert-manager, chart: cert-manager, version: v1.20.2}
  - {name: site-settings, type: Helm, namespace: site, source: ""}
  - {name: kai-scheduler, type: Helm, namespace: kai, version: v0.16.9, overrides: {enabled: false}}
`;

/** A script that does what aicr would. */
export const program = (body: string): string => `#!/bin/bash\n${body}\n`;
