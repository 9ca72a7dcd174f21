import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { RecipeStep } from '../../src/runner/planned.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { MemoryCluster, unreachable } from './memory-cluster.ts';
import { program, RECIPE } from './recipes.ts';

let work: string;
let cluster: MemoryCluster;
let test: TestContext;

beforeEach(() => {
  work = temporaryFolder();
  cluster = new MemoryCluster();
  test = testContext(cluster);
});

/** A recipe step whose aicr is a script; `$OUT` in it is the file it shall write. */
function step(body: string, change: Partial<RecipeStep> = {}): RecipeStep {
  const file = join(work, 'recipe.yaml');
  writeFileSync(join(work, 'aicr'), program(`OUT='${file}'\n${body}`));
  chmodSync(join(work, 'aicr'), 0o755);
  return {
    name: 'recipe',
    does: 'resolve the recipe',
    argv: [join(work, 'aicr'), 'recipe', '--service', 'eks'],
    recipe: { file, summary: join(work, 'recipe.summary') },
    target: { configMap: 'aicr-recipe', release: 'gpu', namespace: 'nvidia-aicr' },
    version: 'v1.2.0',
    criteria: { service: 'eks', accelerator: 'h100', intent: 'training' },
    packRef: '',
    packDigestFile: join(work, 'pack.digest'),
    ...change,
  };
}

const writes = (recipe: string): string => `cat > "$OUT" <<'END'\n${recipe}END`;
const resolve = (body: string, change?: Partial<RecipeStep>) => runStep(step(body, change), test.context);
const summary = (): string => cluster.texts('aicr-recipe')['summary.txt'] ?? '';

async function failure(body: string, change?: Partial<RecipeStep>): Promise<RunError> {
  const error = await resolve(body, change).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(error.hint).not.toBe('');
  return error;
}

const refuses = (words: string, exitCode = 2): string =>
  `echo "[cli] building recipe" >&2; echo "[cli] command failed: error=${words} exitCode=${exitCode}" >&2; exit ${exitCode}`;

describe('a recipe', () => {
  it('is captured as aicr wrote it', async () => {
    await resolve(writes(RECIPE));
    expect(cluster.texts('aicr-recipe')['recipe.yaml']).toBe(RECIPE);
    expect(test.recorded.results).toEqual([expect.objectContaining({ configMap: 'aicr-recipe' })]);
  });

  it('is counted in the status without what it switches off', async () => {
    const { message } = await resolve(writes(RECIPE));
    expect(test.recorded.facts.recipe).toMatchObject({
      overlays: ['base', 'h100-any', 'h100-eks-training'],
      componentCount: 3,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(message).toContain('3 components');
    expect(message).toContain('h100-eks-training');
  });

  it('may be JSON', async () => {
    await resolve(writes('{"componentRefs": [{"name": "nfd", "namespace": "nfd"}], "criteria": {}}\n'));
    expect(test.recorded.facts.recipe?.componentCount).toBe(1);
  });

  it('is summed up for people', async () => {
    await resolve(writes(RECIPE));
    expect(summary()).toBe(`Recipe of release gpu in namespace nvidia-aicr
aicr v1.2.0 (recipe written by 1.2.0)

WARNING: thin criteria (no os): fewer criteria resolve a thinner stack; check that the components below are all you expect

WARNING: overlay h100-eks-ubuntu was left out: OS.release.ID must be ubuntu, found rhel (not met)

Criteria
               asked     resolved
  service      eks       eks
  accelerator  h100      h100
  intent       training  training
  os           -         any
  platform     -         any

Overlays: base, h100-any, h100-eks-training

Profile: gpuStack=operator-managed

Data pack: none

Components: 3, in the order of deployment
  cert-manager   v1.20.2    namespace cert-manager
  gpu-operator   v26.7.2    namespace gpu-operator
  site-settings  manifests  namespace site

Switched off by the recipe: kai-scheduler

Constraints
  K8s.server.version >= 1.32.4
`);
  });

  it('names the pack it was made with, and its digest', async () => {
    writeFileSync(join(work, 'pack.digest'), 'sha256:abc');
    await resolve(writes(RECIPE), { packRef: 'r.example/acme/pack:1' });
    expect(summary()).toContain('Data pack: r.example/acme/pack:1 sha256:abc\n');
    expect(summary()).not.toContain('thin criteria');
  });

  it.each([
    [{ service: 'any', accelerator: 'h100' }, 'service is any, no intent, no os'],
    [{ accelerator: 'h100', intent: 'training', os: 'ubuntu' }, 'service is any'],
    [{ service: 'eks', os: 'ubuntu' }, 'no intent'],
  ])(
    'from thin criteria %j has a warning in its summary',
    async (criteria: Record<string, string>, missing) => {
      await resolve(writes(RECIPE), { criteria });
      expect(summary()).toContain(`WARNING: thin criteria (${missing})`);
    },
  );

  it('from full criteria has none', async () => {
    await resolve(writes(RECIPE), {
      criteria: { service: 'eks', accelerator: 'h100', intent: 'training', os: 'ubuntu' },
    });
    expect(summary()).not.toContain('thin criteria');
    expect(test.recorded.warnings).toEqual([expect.stringContaining('h100-eks-ubuntu')]);
  });
});

describe('the capture', () => {
  it('takes nothing when it is switched off', async () => {
    cluster.trouble = unreachable;
    await resolve(writes(RECIPE), { target: { configMap: '', release: 'gpu', namespace: 'nvidia-aicr' } });
    expect(cluster.applied).toEqual([]);
  });

  it("drops a former run's notes on upgrades, and leaves others' keys", async () => {
    cluster.place('aicr-recipe', 'gpu', { 'note.txt': 'mine' });
    await cluster.applyConfigMap(
      { name: 'aicr-recipe', namespace: 'nvidia-aicr', data: { 'UPGRADING.md': 'old' } },
      'nvidia-aicr',
    );
    await resolve(writes(RECIPE));
    expect(cluster.keys('aicr-recipe')).toEqual(['note.txt', 'recipe.yaml', 'summary.txt']);
  });

  it("of another release's ConfigMap is warned of", async () => {
    cluster.place('aicr-recipe', 'other', { 'recipe.yaml': 'x' });
    await resolve(writes(RECIPE));
    expect(test.recorded.warnings).toContainEqual(expect.stringMatching(/release other.*recipeConfigMap/));
    expect(cluster.texts('aicr-recipe')['recipe.yaml']).toBe(RECIPE);
  });

  it("over the peer chart's ConfigMap, which has no such label, is not", async () => {
    cluster.place('aicr-recipe', null, { 'recipe.yaml': 'x' });
    await resolve(writes(RECIPE));
    expect(test.recorded.warnings.filter((warning) => warning.includes('overwritten'))).toEqual([]);
  });

  it('that fails is warned of and stops nothing', async () => {
    cluster.trouble = unreachable;
    await expect(resolve(writes(RECIPE))).resolves.toBeDefined();
    expect(test.recorded.warnings).toContainEqual(
      expect.stringContaining('could not be written to ConfigMap aicr-recipe'),
    );
    expect(test.recorded.results).toEqual([]);
  });

  it('of a large recipe leaves the health checks out of what is looked at first, and keeps the whole in parts', async () => {
    const bulk = `      ${'x'.repeat(1000)}\n`.repeat(1000);
    const large = RECIPE.replace('      two\n', bulk);
    await resolve(writesFile(large));
    const data = cluster.texts('aicr-recipe');
    const captured = data['recipe.yaml'] ?? '';
    expect(captured.split('\n', 1)[0]).toMatch(/^# healthCheckAsserts .* left out: .*\d+ bytes/);
    expect(captured).not.toContain('xxxx');
    expect(captured).toContain('gpu-operator');
    expect(data['READ-THIS.txt']).toContain('The whole is in aicr-recipe-1 to aicr-recipe-2.');
    const parts = ['aicr-recipe-1', 'aicr-recipe-2'].map((name) => cluster.texts(name)['recipe.yaml']);
    expect(parts.join('')).toBe(large);
    expect(test.recorded.warnings).toContainEqual(expect.stringContaining('recipe.yaml is split'));
    expect(test.recorded.results.at(-1)?.holds).toContain('aicr-recipe-1 to aicr-recipe-2');
    expect(readFileSync(join(work, 'recipe.yaml'), 'utf8')).toBe(large);
  });

  it('of a recipe that is large even so is in the parts alone: half of one could be taken for a whole', async () => {
    const large = `${RECIPE}notes:\n${`  - ${'y'.repeat(1000)}\n`.repeat(1200)}`;
    await resolve(writesFile(large));
    expect(cluster.keys('aicr-recipe')).toEqual(['READ-THIS.txt', 'summary.txt']);
    const parts = ['aicr-recipe-1', 'aicr-recipe-2'].map((name) => cluster.texts(name)['recipe.yaml']);
    expect(parts.join('')).toBe(large);
  });

  /** For a recipe that is larger than a script should be. */
  function writesFile(recipe: string): string {
    writeFileSync(join(work, 'large'), recipe);
    return `cat '${join(work, 'large')}' > "$OUT"`;
  }
});

describe('criteria that aicr refuses', () => {
  it.each([
    '[INVALID_REQUEST] error parsing criteria: [INVALID_REQUEST] invalid accelerator type: foo',
    "[INVALID_REQUEST] no recipe provides accelerator 'l40' for criteria(service=eks, accelerator=l40)",
    "[INVALID_REQUEST] intent 'training' requires additional criteria; supported combinations: (service=aks), (service=gke, os=cos)",
    '[INVALID_REQUEST] no criteria provided: specify at least one of --service, --accelerator, --config, or use --snapshot to load from a snapshot file',
  ])('are told in its own words first: %s', async (words) => {
    const error = await failure(refuses(words));
    expect(error.code).toBe('CriteriaRefused');
    expect(error.message.startsWith(words)).toBe(true);
    expect(error.hint).toMatch(/aicr recipe list|does not know this accelerator/);
    expect(error.tail.at(-1)).toContain(words);
  });
});

describe('another failure', () => {
  it.each([
    [
      '[INVALID_REQUEST] construct layered data provider: [INVALID_REQUEST] registry.yaml is required in external data directory: /tmp/pack',
      2,
      'PackInvalid',
    ],
    [
      '[INTERNAL] failed to read registry.yaml: [INTERNAL] failed to parse external registry.yaml: yaml: line 1',
      8,
      'PackInvalid',
    ],
    ['[NOT_FOUND] recipe nosuch not found (referenced in inheritance chain)', 3, 'PackInvalid'],
    [
      '[INVALID_REQUEST] unknown output format: nope, valid formats are: yaml, json, table',
      2,
      'RecipeFailed',
    ],
    ['[INTERNAL] failed to serialize recipe', 8, 'RecipeFailed'],
    ['[NOT_FOUND] snapshot', 3, 'RecipeFailed'],
  ])('%s (exit %i) is %s', async (words, exitCode, code) => {
    const error = await failure(refuses(words, exitCode), { packRef: 'r.example/acme/pack:1' });
    expect(error.code).toBe(code);
    expect(error.message.startsWith(words)).toBe(true);
  });

  it('of a flag shows the complaint, not the help', async () => {
    const error = await failure(
      'echo "Incorrect Usage: flag provided but not defined: -nope"; for i in $(seq 120); do echo "   --help $i"; done; exit 1',
    );
    expect(error.code).toBe('RecipeFailed');
    expect(error.message).toContain('flag provided but not defined: -nope');
    expect(error.hint).toContain('recipeFlags');
  });

  it('by a full disk is named', async () => {
    const error = await failure('echo "write /tmp/recipe.yaml: no space left on device" >&2; exit 8');
    expect(error.code).toBe('DiskFull');
  });

  it('by a signal is named', async () => {
    expect((await failure('kill -KILL $$')).message).toContain('SIGKILL');
  });

  it('to write anything is named', async () => {
    const error = await failure('true');
    expect(error.code).toBe('RecipeFailed');
    expect(error.hint).toContain('--output');
  });

  it.each([
    ['broken YAML', 'a: [1\nb: }\n'],
    ['a table', 'FIELD    VALUE\n-----    -----\nKind     RecipeResult\n'],
    ['nothing', ''],
    ['a list', '- a\n'],
  ])('to write a recipe (%s) is named', async (_, text) => {
    const error = await failure(writes(text));
    expect(error.code).toBe('RecipeFailed');
    expect(error.message).toContain('not a recipe');
    expect(error.message).not.toContain('\n');
  });
});
