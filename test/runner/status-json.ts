import { Ajv } from 'ajv';
import { expect } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import statusSchema from '../../src/contract/status.schema.json' with { type: 'json' };
import type { ReleaseObjects } from './release-objects.ts';

const keepsContract = new Ajv().compile(statusSchema);

/** The document that `nvidia-aicr-chart status` gives to programs; it keeps its schema. */
export async function statusJson(world: ReleaseObjects): Promise<{ code: number; status: RunStatus }> {
  const { code, stdout, stderr } = await world.status('gpu', '--output', 'json');
  const status = JSON.parse(stdout || 'null') as RunStatus;
  expect(keepsContract(status), `${stderr}${JSON.stringify(keepsContract.errors)}`).toBe(true);
  return { code, status };
}
