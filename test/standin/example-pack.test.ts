import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COLD_BUILD, failureText, openProgram, type Program } from './program.ts';

const PACK = fileURLToPath(new URL('../../packs/k0s-h200-training', import.meta.url));
const CRITERIA = ['--service', 'k0s', '--accelerator', 'h200', '--intent', 'training'];

let aicr: Program;
beforeAll(async () => {
  aicr = await openProgram();
}, COLD_BUILD);
afterAll(() => aicr.remove());

test('the example pack answers what upstream alone does not, and carries the facts of its fleet', async () => {
  const alone = await aicr.run(['recipe', ...CRITERIA]);
  expect(alone.exitCode).toBe(2);
  expect(failureText(alone)).toContain('specify os');

  const { exitCode, stdout } = await aicr.run(['recipe', '--data', PACK, ...CRITERIA, '--format', 'yaml']);
  expect(exitCode).toBe(0);
  const recipe = parse(stdout);
  expect(recipe.metadata.appliedOverlays).toEqual(
    expect.arrayContaining(['k0s-training', 'k0s-h200-training']),
  );
  const overrides = (name: string) =>
    recipe.componentRefs.find((component: { name: string }) => component.name === name)?.overrides;
  expect(overrides('gpu-operator')).toMatchObject({
    driver: { enabled: false },
    migManager: { enabled: false },
  });
  expect(overrides('gpu-operator').toolkit.env).toContainEqual({
    name: 'CONTAINERD_SOCKET',
    value: '/run/k0s/containerd.sock',
  });
  expect(overrides('nvidia-dra-driver-gpu')).toMatchObject({ nvidiaDriverRoot: '/' });
  expect(overrides('nvsentinel')).toMatchObject({ labeler: { assumeDriverInstalled: true } });
  expect(recipe.constraints).toContainEqual({ name: 'K8s.server.version', value: '>= 1.34' });
});
