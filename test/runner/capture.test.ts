import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { FIELD_MANAGER } from '../../src/contract/index.ts';
import type { RecipeStep } from '../../src/runner/planned.ts';
import { type Cluster, createClock, createCluster } from '../../src/runner/ports/index.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { captureRecipe } from '../../src/runner/steps/recipe/index.ts';
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

const files = () => ({ file: join(work, 'recipe.yaml'), summary: join(work, 'recipe.summary') });

async function resolve(recipe: string, release = 'gpu'): Promise<void> {
  const { file } = files();
  writeFileSync(join(work, 'source.yaml'), recipe);
  writeFileSync(join(work, 'aicr'), program(`cat '${join(work, 'source.yaml')}' > '${file}'`));
  chmodSync(join(work, 'aicr'), 0o755);
  const step: RecipeStep = {
    name: 'recipe',
    does: 'resolve the recipe',
    argv: [join(work, 'aicr'), 'recipe'],
    recipe: files(),
    target: { configMap: 'aicr-recipe', release, namespace },
    version: 'v1.2.0',
    criteria: { service: 'eks' },
    packRef: '',
    packDigestFile: join(work, 'pack.digest'),
  };
  await runStep(step, test.context);
}

const captured = async (name = 'aicr-recipe'): Promise<Readonly<Record<string, string>>> =>
  ((await admin.call('GET', `${path}/${name}`))['data'] ?? {}) as Record<string, string>;

/** What the bundle step adds. */
const addUpgrading = (text: string): Promise<void> =>
  captureRecipe({ configMap: 'aicr-recipe', release: 'gpu', namespace }, files(), text, test.context);

it('a recipe of several megabytes is kept whole, with notes on upgrades beside it', async () => {
  const bulk = `      ${'é'.repeat(500)}\n`.repeat(4_000);
  const recipe = RECIPE.replace('      two\n', bulk);
  await resolve(recipe);
  const upgrading = `# Care\n${'z'.repeat(100)}\n`.repeat(5_000);
  await addUpgrading(upgrading);

  const data = await captured();
  expect(Object.keys(data).sort()).toEqual(['READ-THIS.txt', 'UPGRADING.md', 'recipe.yaml', 'summary.txt']);
  expect(data['recipe.yaml']).toMatch(/^# healthCheckAsserts of every component is left out/);
  expect(data['UPGRADING.md']).toBe(upgrading);
  const parts = test.recorded.results.at(-1)?.holds.match(/aicr-recipe-1 to aicr-recipe-(\d+)/)?.[1];
  const names = Array.from({ length: Number(parts) }, (_, index) => `aicr-recipe-${index + 1}`);
  const texts = await Promise.all(names.map(async (name) => (await captured(name))['recipe.yaml']));
  expect(texts.join('')).toBe(recipe);
  expect(test.recorded.warnings.filter((warning) => warning.includes('could not be written'))).toEqual([]);

  await resolve(RECIPE);
  expect(await admin.find(`${path}/aicr-recipe-1`)).toBeNull();
});

it("a new recipe drops the former run's notes on upgrades, and keeps what others wrote", async () => {
  await resolve(RECIPE);
  await addUpgrading('# Care\n');
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
