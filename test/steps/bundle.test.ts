import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { BundleStep, VerifyStep } from '../../src/runner/planned.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { sha256 } from './archives.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { program } from './recipes.ts';

let work: string;
let cluster: MemoryCluster;
let test: TestContext;

beforeEach(() => {
  work = temporaryFolder();
  cluster = new MemoryCluster();
  test = testContext(cluster);
});

/** An aicr that does what the script says; `$OUT` is the bundle's folder. */
function aicr(body: string): string {
  writeFileSync(join(work, 'aicr'), program(`OUT='${join(work, 'bundle')}'\n${body}`));
  chmodSync(join(work, 'aicr'), 0o755);
  return join(work, 'aicr');
}

const bundleStep = (body: string): BundleStep => ({
  name: 'bundle',
  does: 'render',
  argv: [aicr(body), 'bundle'],
  dir: join(work, 'bundle'),
  recipe: { file: join(work, 'recipe.yaml'), summary: join(work, 'recipe.summary') },
  target: { configMap: 'aicr-recipe', release: 'gpu', namespace: 'nvidia-aicr' },
});

const verifyStep = (body: string): VerifyStep => ({
  name: 'verify',
  does: 'verify',
  argv: [aicr(body), 'verify', join(work, 'bundle')],
  dir: join(work, 'bundle'),
});

async function failure(step: BundleStep | VerifyStep): Promise<RunError> {
  const error = await runStep(step, test.context).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(error.hint).not.toBe('');
  return error;
}

const RENDERS = 'mkdir "$OUT" && touch "$OUT/deploy.sh"';
const refuses = (words: string, exitCode: number): string =>
  `echo "[cli] command failed: error=${words} exitCode=${exitCode}" >&2; exit ${exitCode}`;

describe('the bundle', () => {
  it('is rendered into a folder of its own, whatever was there', async () => {
    mkdirSync(join(work, 'bundle'));
    writeFileSync(join(work, 'bundle', 'foreign'), '');
    await runStep(bundleStep(RENDERS), test.context);
    expect(existsSync(join(work, 'bundle', 'deploy.sh'))).toBe(true);
    expect(existsSync(join(work, 'bundle', 'foreign'))).toBe(false);
    expect(cluster.applied).toEqual([]);
    expect(test.recorded.warnings).toEqual([]);
  });

  it("adds its notes on upgrades to the recipe's ConfigMap, and warns of them", async () => {
    writeFileSync(join(work, 'recipe.yaml'), 'r');
    writeFileSync(join(work, 'recipe.summary'), 's');
    await runStep(bundleStep(`${RENDERS}; echo '# Care' > "$OUT/UPGRADING.md"`), test.context);
    expect(cluster.texts('aicr-recipe')).toEqual({
      'recipe.yaml': 'r',
      'summary.txt': 's',
      'UPGRADING.md': '# Care\n',
    });
    expect(test.recorded.warnings).toEqual([expect.stringContaining('UPGRADING.md')]);
  });

  it.each([
    ["[INVALID_REQUEST] unknown component 'nope'", 2, 'the request is invalid', 'bundleFlags'],
    ['[UNAVAILABLE] helm pull failed', 6, 'a service it needs is unavailable', '--vendor-charts'],
    ['[INTERNAL] oops', 8, 'an internal failure', 'bundleFlags'],
  ])('%s (exit %i) fails in words', async (words, exitCode, meaning, hint) => {
    const error = await failure(bundleStep(refuses(words, exitCode)));
    expect(error.code).toBe('BundleFailed');
    expect(error.message).toBe(`${words} (aicr bundle: exit code ${exitCode}: ${meaning})`);
    expect(error.hint).toContain(hint);
  });

  it('of another deployer is refused', async () => {
    const error = await failure(bundleStep('mkdir "$OUT" && touch "$OUT/app-of-apps.yaml"'));
    expect(error.code).toBe('BundleFailed');
    expect(error.hint).toContain('--deployer');
  });
});

describe('verification', () => {
  it("notes the digest of the bundle's checksums", async () => {
    mkdirSync(join(work, 'bundle'));
    writeFileSync(join(work, 'bundle', 'checksums.txt'), 'abc  deploy.sh\n');
    await runStep(verifyStep('exit 0'), test.context);
    expect(test.recorded.facts.bundle).toEqual({
      digest: `sha256:${sha256(Buffer.from('abc  deploy.sh\n'))}`,
    });
  });

  it.each([
    [2, 'policy'],
    [3, 'not where it was rendered'],
    [4, 'added, removed or changed'],
    [8, 'Nothing of the bundle was run'],
  ])('that ends with %i fails and says what that means', async (exitCode, hint) => {
    const error = await failure(verifyStep(refuses('[UNAUTHORIZED] checksum mismatch: deploy.sh', exitCode)));
    expect(error.code).toBe('VerifyFailed');
    expect(error.message).toContain('[UNAUTHORIZED] checksum mismatch: deploy.sh');
    expect(error.hint).toContain(hint);
    expect(test.recorded.facts.bundle).toBeUndefined();
  });
});
