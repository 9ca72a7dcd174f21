/**
 * The fields of k0rdent and Sveltos that our examples use, as JSON Schema: their modules cannot be had from the Go proxy,
 * so these definitions are kept by hand. Read field by field from
 * https://github.com/k0rdent/kcm/tree/8373a2411e30dec10222b47566a75da8abfcaf43/templates/provider/kcm/templates/crds
 * and https://github.com/projectsveltos/addon-controller/tree/60c6358035778386ccb9599f4944d2f5a0ec8926/config/crd/bases
 */
import { Ajv, type ValidateFunction } from 'ajv';
import type { Any } from './helm.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const texts = { type: 'array', items: text };
const map = { type: 'object', additionalProperties: text };
const name = { type: 'string', minLength: 1, maxLength: 253 };
const of = (properties: object, ...required: string[]): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object): object => ({ type: 'array', items });
const one = (...words: string[]): object => ({ enum: words });

const metadata = of({ name, namespace: text, labels: map, annotations: map }, 'name');
/** MultiClusterService and ClusterProfile belong to no namespace. */
const clusterMetadata = of({ name, labels: map, annotations: map }, 'name');

const clusterSelector = of({
  matchLabels: map,
  matchExpressions: list(of({ key: text, operator: text, values: texts }, 'key', 'operator')),
});

const syncMode = one('OneTime', 'Continuous', 'ContinuousWithDriftDetection', 'DryRun');

const policyRefs = list(
  of({
    namespace: text,
    name: text,
    kind: one('GitRepository', 'OCIRepository', 'Bucket', 'ConfigMap', 'Secret'),
    path: text,
    deploymentType: one('Local', 'Remote'),
    optional: flag,
    tier: { type: 'integer', minimum: 1 },
    skipNamespaceCreation: flag,
  }),
);

const helmOptions = of({
  wait: flag,
  waitForJobs: flag,
  timeout: text,
  atomic: flag,
  skipCRDs: flag,
  disableHooks: flag,
  disableOpenAPIValidation: flag,
  skipSchemaValidation: flag,
  dependencyUpdate: flag,
  enableClientCache: flag,
  description: text,
  labels: map,
  installOptions: of({ createNamespace: flag, disableHooks: flag, replace: flag, takeOwnership: flag }),
});

const service = of(
  {
    name,
    namespace: text,
    template: name,
    templateChain: text,
    version: text,
    values: text,
    valuesFrom: list(of({ kind: one('ConfigMap', 'Secret'), name }, 'kind', 'name')),
    dependsOn: list(of({ name, namespace: text }, 'name')),
    helmOptions,
    helmAction: one('Install', 'Uninstall'),
    disable: flag,
  },
  'name',
  'template',
);

const object = (apiVersion: string, kind: string, spec: object, meta: object = metadata): object =>
  of(
    { apiVersion: { const: apiVersion }, kind: { const: kind }, metadata: meta, spec },
    'apiVersion',
    'kind',
    'metadata',
    'spec',
  );

const K0RDENT = 'k0rdent.mirantis.com/v1beta1';

const DEFINITIONS: Readonly<Record<string, object>> = {
  MultiClusterService: object(
    K0RDENT,
    'MultiClusterService',
    of({
      clusterSelector,
      dependsOn: texts,
      keepServicesOnSelectorMismatch: flag,
      // What kcm calls deprecated directly below serviceSpec is left out: it belongs into provider.config.
      serviceSpec: of({
        provider: of({ name: text, selfManagement: flag, config: { type: 'object' } }),
        services: list(service),
      }),
    }),
    clusterMetadata,
  ),
  ServiceTemplate: object(
    K0RDENT,
    'ServiceTemplate',
    of(
      {
        version: text,
        k8sConstraint: text,
        helmOptions,
        helm: of(
          {
            chartSpec: of(
              {
                chart: text,
                version: text,
                interval: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' },
                sourceRef: of(
                  { apiVersion: text, kind: one('HelmRepository', 'GitRepository', 'Bucket'), name: text },
                  'kind',
                  'name',
                ),
                reconcileStrategy: one('ChartVersion', 'Revision'),
              },
              'chart',
              'interval',
              'sourceRef',
            ),
          },
          'chartSpec',
        ),
      },
      'helm',
    ),
  ),
  ClusterProfile: object(
    'config.projectsveltos.io/v1beta1',
    'ClusterProfile',
    of({
      clusterSelector,
      syncMode,
      tier: { type: 'integer', minimum: 1 },
      continueOnConflict: flag,
      continueOnError: flag,
      stopMatchingBehavior: one('WithdrawPolicies', 'LeavePolicies'),
      dependsOn: texts,
      reloader: flag,
      policyRefs,
    }),
    clusterMetadata,
  ),
};

const validators = new Map<string, ValidateFunction>();

/** What is wrong with an object of k0rdent or Sveltos; undefined for objects of anybody else. */
export const faultsOf = (object: Any): readonly string[] | undefined => {
  const definition = DEFINITIONS[object.kind];
  if (definition === undefined) return undefined;
  const validate =
    validators.get(object.kind) ?? new Ajv({ allErrors: true, strictRequired: false }).compile(definition);
  validators.set(object.kind, validate);
  validate(object);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
};
