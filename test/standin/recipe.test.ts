import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COLD_BUILD, failureText, openProgram, type Program } from './program.ts';

let aicr: Program;
beforeAll(async () => {
  aicr = await openProgram();
}, COLD_BUILD);
afterAll(() => aicr.remove());

const ACME = ['--service', 'acme', '--accelerator', 'h200', '--intent', 'training'];
const failure = async (...args: string[]): Promise<string> => {
  const outcome = await aicr.run(['recipe', ...args]);
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  return failureText(outcome);
};

describe('the command line', () => {
  test('--version names the release', async () => {
    const { exitCode, stdout } = await aicr.run(['--version']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^aicr version ${aicr.release.version.slice(1)} \\(commit: .+, date: .+\\)$`),
    );
  });

  test('an unknown flag prints the help and ends with 1, before logging is set up', async () => {
    const outcome = await aicr.run(['recipe', '--nope']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stdout).toContain('aicr recipe');
    expect(outcome.stderr).toMatch(/Incorrect Usage: flag provided but not defined: -nope/);
    expect(outcome.stderr).not.toContain('[cli]');
  });

  test('an unknown command ends with 3', async () => {
    expect(await aicr.run(['nope'])).toMatchObject({ exitCode: 3, stderr: "No help topic for 'nope'" });
  });

  test('--log-json writes one object a line, the last with error and exitCode', async () => {
    const { exitCode, stderr } = await aicr.run(['--log-json', 'recipe', '--service', 'nosuch']);
    expect(exitCode).toBe(2);
    const last = JSON.parse(stderr.split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(last).toMatchObject({ level: 'ERROR', msg: 'command failed', module: 'aicr', exitCode: 2 });
    expect(last['error']).toContain('invalid service type: nosuch');
  });
});

describe('criteria that cannot be had', () => {
  test.each([
    ['service', ['--service', 'nosuch', '--accelerator', 'h100']],
    ['accelerator', ['--accelerator', 'nosuch']],
    ['intent', ['--accelerator', 'h100', '--intent', 'nosuch']],
    ['os', ['--accelerator', 'h100', '--os', 'nosuch']],
    ['platform', ['--accelerator', 'h100', '--platform', 'nosuch']],
  ])('an unknown %s is named', async (dimension, args) => {
    expect(await failure(...args)).toBe(
      `[cli] command failed: error=[INVALID_REQUEST] error parsing criteria: [INVALID_REQUEST] invalid ${dimension} type: nosuch exitCode=2`,
    );
  });

  test('a service without a recipe', async () => {
    expect(await failure('--service', 'metal3', '--accelerator', 'h100')).toContain(
      "no recipe provides service 'metal3' for criteria(service=metal3, accelerator=h100) exitCode=2",
    );
  });

  test('an intent without a service lists the combinations that have one', async () => {
    const text = await failure('--service', 'any', '--accelerator', 'h200', '--intent', 'training');
    expect(text).toContain("intent 'training' requires additional criteria; supported combinations: ");
    expect(text).toContain('(service=eks)');
    expect(text).toContain('(service=gke, os=cos)');
  });

  test('a service that wants an os says which', async () => {
    const text = await failure('--service', 'gke', '--accelerator', 'h100', '--intent', 'training');
    expect(text).toContain(
      "service 'gke' for criteria(service=gke, accelerator=h100, intent=training) requires os (valid: cos); intent 'training'",
    );
  });

  test('none at all, or only any', async () => {
    expect(await failure()).toContain(
      'no criteria provided: specify at least one of --service, --accelerator',
    );
    expect(await failure('--accelerator', 'any')).toContain('no criteria provided');
  });

  test("a pack's value without the pack", async () => {
    expect(await failure(...ACME)).toContain('invalid service type: acme');
  });

  test("a pack's service with an intent that it has not", async () => {
    const pack = await aicr.pack('acme');
    const args = ['--data', pack, '--service', 'acme', '--accelerator', 'h200', '--intent', 'inference'];
    expect(await failure(...args)).toContain(
      "no recipe provides service 'acme' for criteria(service=acme, accelerator=h200, intent=inference); no recipe provides intent 'inference'",
    );
    expect(await failure('--data', pack, '--service', 'acme')).toContain(
      "service 'acme' requires additional criteria; supported combinations: (accelerator=h200, intent=training)",
    );
  });

  test('an unknown format', async () => {
    expect(await failure('--accelerator', 'h100', '--format', 'xml')).toContain(
      'unknown output format: "xml", valid formats are: yaml, json, table',
    );
  });
});

describe('a resolved recipe', () => {
  test('holds what a summary needs', async () => {
    const file = path.join(aicr.dir, 'recipe.yaml');
    const outcome = await aicr.run(['recipe', '--data', await aicr.pack('acme'), ...ACME, '-o', file]);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '' });
    expect(outcome.stderr).toMatch(
      /\[cli\] recipe generation completed: output=\S+ components=13 componentNames=acme-agent, /,
    );
    const recipe = parse(await readFile(file, 'utf8')) as Recipe;
    expect(recipe).toMatchObject({
      kind: 'RecipeResult',
      criteria: { service: 'acme', accelerator: 'h200', intent: 'training', os: 'any', platform: 'any' },
      metadata: {
        version: aicr.release.version.slice(1),
        appliedOverlays: ['base', 'monitoring-hpa', 'h200-any', 'acme-h200-training'],
      },
      deploymentOrder: ['acme-agent', 'acme-probe'],
    });
    expect(recipe.constraints.map((each) => each.name)).toContain('K8s.server.version');
    const [agent, , certManager] = recipe.componentRefs;
    expect(agent).toMatchObject({ name: 'acme-agent', namespace: 'acme-agent', source: '', type: 'Helm' });
    expect(agent).not.toHaveProperty('version');
    expect(certManager).toMatchObject({ name: 'cert-manager', overrides: { enabled: false } });
    expect(certManager).toHaveProperty('healthCheckAsserts');
  });

  test('is the same as JSON, and goes to stdout by default', async () => {
    const args = ['recipe', '--data', await aicr.pack('acme'), ...ACME];
    const yaml = parse((await aicr.run(args)).stdout) as unknown;
    expect(JSON.parse((await aicr.run([...args, '--format', 'json'])).stdout)).toEqual(yaml);
  });

  test('recipe list finds the overlays of a pack', async () => {
    const pack = await aicr.pack('acme');
    const args = ['recipe', 'list', '--data', pack, '--service', 'acme', '--format', 'json'];
    const [entry, ...others] = JSON.parse((await aicr.run(args)).stdout) as object[];
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      name: 'acme-h200-training',
      criteria: { Service: 'acme', Accelerator: 'h200', Intent: 'training', OS: '', Platform: '', Nodes: 0 },
      is_leaf: true,
      source: 'external',
    });
  });
});

interface Recipe {
  constraints: { name: string; value: string }[];
  componentRefs: Record<string, unknown>[];
}
