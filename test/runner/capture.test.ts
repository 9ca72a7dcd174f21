import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { FIELD_MANAGER } from '../../src/contract/index.ts';
import type { RecipeStep } from '../../src/runner/planned.ts';
import { type Cluster, createClock, createCluster } from '../../src/runner/ports/index.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { captureUpgrading } from '../../src/runner/steps/recipe/capture.ts';
import { type TestContext, temporaryFolder, testContext } from '../steps/context.ts';
import { program, RECIPE } from '../steps/recipes.ts';
import { adminOf } from './admin.ts';

const connection = inject('apiServer');
const admin = adminOf(connection);
const namespace = 'capture';
const path = `/api/v1/namespaces/${namespace}/configmaps`;

let work: string;
let test: TestContext;

beforeEach(async () => {
  work = temporaryFolder();
  test = testContext(clusterOf('gpu'));
  if ((await admin.find(`/api/v1/namespaces/${namespace}`)) === null) {
    await admin.call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  }
});
afterEach(() => admin.call('DELETE', path));

function clusterOf(release: string): Cluster {
  const ca = readFileSync(connection.caFile, 'utf8');
  return createCluster({
    identity: { release, namespace, job: `${release}-install-1`, pod: 'pod', podUid: 'uid' },
    clock: createClock(),
    account: { server: connection.url, credentials: () => ({ token: connection.adminToken, ca }) },
    warn: () => {},
  });
}

async function resolve(recipe: string, release = 'gpu'): Promise<void> {
  const file = join(work, 'recipe.yaml');
  writeFileSync(join(work, 'source.yaml'), recipe);
  writeFileSync(join(work, 'aicr'), program(`cat '${join(work, 'source.yaml')}' > '${file}'`));
  chmodSync(join(work, 'aicr'), 0o755);
  const step: RecipeStep = {
    name: 'recipe',
    does: 'resolve the recipe',
    argv: [join(work, 'aicr'), 'recipe'],
    file,
    target: { configMap: 'aicr-recipe', release, namespace },
    version: 'v1.2.0',
    criteria: { service: 'eks' },
    packRef: '',
    packDigestFile: join(work, 'pack.digest'),
  };
  await runStep(step, test.context);
}

const captured = async (): Promise<Readonly<Record<string, string>>> =>
  ((await admin.call('GET', `${path}/aicr-recipe`))['data'] ?? {}) as Record<string, string>;

it('a recipe of several megabytes fits once it is cut, with notes on upgrades beside it', async () => {
  const bulk = `      ${'é'.repeat(500)}\n`.repeat(4_000);
  await resolve(`${RECIPE.replace('      two\n', bulk)}notes:\n${`  - ${'y'.repeat(1000)}\n`.repeat(2_000)}`);
  const target = { configMap: 'aicr-recipe', release: 'gpu', namespace };
  await captureUpgrading(target, `# Care\n${'z'.repeat(100)}\n`.repeat(5_000), test.context);

  const data = await captured();
  expect(Object.keys(data).sort()).toEqual(['UPGRADING.md', 'recipe.yaml', 'summary.txt']);
  expect(data['recipe.yaml']).toMatch(/^# the recipe is cut off/);
  expect(data['UPGRADING.md']).toMatch(/# cut off here: \d+ bytes in all\n$/);
  expect(test.recorded.warnings.filter((warning) => warning.includes('could not be written'))).toEqual([]);
});

it("a new recipe drops the former run's notes on upgrades, and keeps what others wrote", async () => {
  await resolve(RECIPE);
  await captureUpgrading({ configMap: 'aicr-recipe', release: 'gpu', namespace }, '# Care\n', test.context);
  const note = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'aicr-recipe' },
    data: { note: 'mine' },
  };
  await admin.call('PATCH', `${path}/aicr-recipe?fieldManager=someone`, note, 'application/apply-patch+yaml');
  await resolve(RECIPE);
  expect(Object.keys(await captured()).sort()).toEqual(['note', 'recipe.yaml', 'summary.txt']);
});

it("takes over a ConfigMap that another tool's field manager holds, without a word", async () => {
  const metadata = { name: 'aicr-recipe' };
  const data = { 'recipe.yaml': 'old', 'summary.txt': 'old' };
  await admin.call('POST', `${path}?fieldManager=kubectl-create`, { metadata, data });
  await resolve(RECIPE);
  expect((await captured())['recipe.yaml']).toBe(RECIPE);
  const { metadata: now } = await admin.call('GET', `${path}/aicr-recipe`);
  expect(now.managedFields?.map(({ manager }) => manager)).toContain(FIELD_MANAGER);
  expect(test.recorded.warnings.filter((warning) => warning.includes('aicr-recipe'))).toEqual([]);
});

it("overwrites another release's recipe, and says whose it was", async () => {
  await resolve(RECIPE);
  test = testContext(clusterOf('second'));
  await resolve(RECIPE, 'second');
  expect((await captured())['summary.txt']).toContain('Recipe of release second');
  expect(test.recorded.warnings).toContainEqual(expect.stringMatching(/release gpu .*recipeConfigMap/));
});

it('that the API server refuses is warned of, and the step goes on', async () => {
  await admin.call('POST', path, {
    metadata: { name: 'aicr-recipe' },
    immutable: true,
    data: { 'recipe.yaml': 'x' },
  });
  await resolve(RECIPE);
  expect(test.recorded.warnings).toContainEqual(expect.stringContaining('could not be written'));
  expect(test.recorded.facts.recipe?.componentCount).toBe(3);
});
