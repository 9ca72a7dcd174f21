import { describe, expect, test } from 'vitest';
import { buildChart } from './chart.ts';
import { FULL, render } from './helm.ts';
import { REPRESENTATIVE } from './representative.ts';

/** Kind and fields of every object; what stands in metadata is asked elsewhere. */
const FIELDS = [
  'ClusterRoleBinding apiVersion kind metadata roleRef subjects',
  'ConfigMap apiVersion binaryData immutable kind metadata',
  'ConfigMap apiVersion data immutable kind metadata',
  'Job apiVersion kind metadata spec',
  'Secret apiVersion data kind metadata type',
  'ServiceAccount apiVersion automountServiceAccountToken kind metadata',
];

describe.concurrent('the objects', () => {
  test('are of the APIs that Kubernetes serves', async () => {
    const { objects } = await render({ ...FULL, dataPackAuth: { dockerconfigjson: '{}' } });
    const kinds = Object.fromEntries(objects.map(({ apiVersion, kind }) => [kind, apiVersion]));
    expect(kinds).toEqual({
      ClusterRoleBinding: 'rbac.authorization.k8s.io/v1',
      ConfigMap: 'v1',
      Job: 'batch/v1',
      Secret: 'v1',
      ServiceAccount: 'v1',
    });
    for (const { apiVersion, kind } of objects) expect(apiVersion).toBe(kinds[kind]);
  });

  test.each(REPRESENTATIVE)('have these fields, whatever the values: $name', async ({ values, objects }) => {
    const made = (await render(values)).objects;
    const fields = made.map((object) => [object.kind, ...Object.keys(object).sort()].join(' '));
    const kinds = objects.map((one) => one.split(' ')[0]);
    expect(fields.sort()).toEqual(FIELDS.filter((one) => kinds.includes(one.split(' ')[0])));
  });

  test.each(['007', 'true', '1e3'])(
    'bind a role whose name YAML would read as something else: %s',
    async (name) => {
      const { only } = await render({ ...FULL, rbac: { clusterRole: name } });
      expect(only('ClusterRoleBinding').roleRef.name).toBe(name);
    },
  );

  test.each(['1234', '0x1A', 'true', '1e10', 'null'])(
    'carry a program that reads %s in base64',
    async (base64) => {
      const runner = { program: new Uint8Array(Buffer.from(base64, 'base64')), handover: 'x' };
      const { objects } = await render(FULL, { chart: await buildChart({ runner }) });
      const program = objects.find((object) => object.binaryData !== undefined);
      expect(program.binaryData['runner.mjs.br']).toBe(base64);
    },
  );
});
