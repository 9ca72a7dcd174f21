import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readRunSpec } from '../../src/runner/spec.ts';
import { runSpec } from './spec.ts';

const folder = mkdtempSync(join(tmpdir(), 'spec-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (content: unknown, job = ''): ReturnType<typeof readRunSpec> => {
  const file = join(folder, 'run.json');
  writeFileSync(file, JSON.stringify(content));
  return readRunSpec(file, 'pod-namespace', job);
};

test('a run.json that keeps the contract is read as it is', () => {
  expect(read(runSpec)).toEqual({ ok: true, spec: runSpec });
});

test('of a broken one, what names release and status ConfigMap is still understood', () => {
  const { criteria, ...rest } = runSpec;
  expect(criteria).toBeDefined();
  const result = read({ ...rest, version: 2 });
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: 'RunSpecInvalid',
      message: expect.stringContaining("must have required property 'criteria'"),
    },
    spec: { release: runSpec.release, status: runSpec.status, pack: { ref: '' } },
  });
  expect(result.ok ? '' : result.error.message).toContain('version must be equal to constant (1)');
});

test.each([[null], [[]], ['text'], [{ release: 5, status: { configMap: { a: 1 } } }]])(
  'of %j nothing is understood, and nothing breaks',
  (content) => {
    expect(read(content)).toMatchObject({
      ok: false,
      spec: { release: { name: '', namespace: 'pod-namespace' }, status: { configMap: '' } },
    });
  },
);

test.each([[null], [[]], ['text']])("of %j the Job's name tells where the status goes", (content) => {
  expect(read(content, 'gpu-stack-install-0123456789')).toMatchObject({
    ok: false,
    spec: { release: { name: 'gpu-stack' }, status: { configMap: 'gpu-stack-status' } },
  });
});
