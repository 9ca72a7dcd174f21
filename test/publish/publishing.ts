import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { ResultStore } from '../../src/runner/results/index.ts';
import { keepEvidence } from '../../src/runner/steps/evidence/index.ts';
import type { ProofOutcome } from '../../src/runner/steps/proof.ts';
import {
  type PublishStep,
  type PublishWish,
  planPublish,
  publish,
} from '../../src/runner/steps/publish/index.ts';
import { temporaryFolder } from '../steps/context.ts';
import { type Registries, startRegistries } from '../steps/registries.ts';
import { type ProofTest, proofContext } from '../validate/proof-context.ts';
import { type Aicr, standIn } from './evidence.ts';
import { type Front, type Refused, startFront } from './front.ts';

/** Where evidence is kept. */
export const TARGET = { configMap: 'aicr-evidence-bundle', release: 'stack', namespace: 'gpu' };

const WISH: PublishWish = {
  mode: 'unsigned',
  ref: '',
  registrySecret: '',
  identityToken: { secret: '', key: 'token' },
  failOnError: false,
  plainHTTP: true,
  insecureTLS: false,
};

/** What the tests of one file publish with: the stand-in, real registries, and evidence that is new for each test. */
export class Publishing {
  registries!: Registries;
  aicr!: Aicr;
  work = '';
  test!: ProofTest;
  readonly #fronts: Front[] = [];

  /** Must be called while vitest collects a file. @param store where results are written, asked before each test */
  constructor(store: () => ResultStore) {
    const home = mkdtempSync(join(tmpdir(), 'publish-'));
    beforeAll(async () => {
      [this.registries, this.aicr] = await Promise.all([startRegistries(), standIn(home)]);
      await this.aicr.emit(join(home, 'evidence'));
    });
    afterAll(() => {
      this.registries.stop();
      rmSync(home, { recursive: true });
    });
    beforeEach(() => {
      this.work = temporaryFolder();
      cpSync(join(home, 'evidence'), join(this.work, 'evidence'), { recursive: true });
      this.test = proofContext(store());
    });
    afterEach(() => {
      for (const front of this.#fronts.splice(0)) front.stop();
    });
  }

  plan(ref: string, wish: Partial<PublishWish> = {}): PublishStep {
    const files = {
      aicr: this.aicr.binary,
      evidence: join(this.work, 'evidence'),
      archive: join(this.work, 'evidence.tgz'),
      configDir: join(this.work, 'publish-auth'),
      registryDir: join(this.work, 'secrets', 'publish'),
      tokenDir: join(this.work, 'secrets', 'identity-token'),
    };
    return planPublish({ ...WISH, ref, ...wish }, files, TARGET);
  }

  /** Plans with a program of ours for aicr. @param script bash; $3 is the evidence's folder */
  planWith(script: string, wish?: Partial<PublishWish>): PublishStep {
    const program = join(this.work, 'program');
    writeFileSync(program, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    const step = this.plan('127.0.0.1:9/acme/e', wish);
    const [, ...args] = step.argv;
    return { ...step, argv: [program, ...args] };
  }

  /** Captures the evidence and publishes it, as a run does. */
  async keepAndPublish(ref: string, wish?: Partial<PublishWish>): Promise<ProofOutcome> {
    const step = this.plan(ref, wish);
    const { dir, archive } = step;
    const kept = await keepEvidence(
      { name: 'evidence', does: '', dir, archive, target: TARGET },
      this.test.context,
    );
    expect(kept.message).toMatch(/^evidence\.tgz, .* sha256 [0-9a-f]{64}$/);
    return await publish(step, this.test.context);
  }

  /** Lets a key of a Secret land where it is mounted. */
  land(folder: 'publish' | 'identity-token', key: string, text: string): void {
    mkdirSync(join(this.work, 'secrets', folder), { recursive: true });
    writeFileSync(join(this.work, 'secrets', folder, key), text);
  }

  /** Starts a front of the open registry that refuses to write manifests. */
  async refusing(answer: Refused, times?: number): Promise<Front> {
    const front = await startFront(this.registries.open.host, answer, times);
    this.#fronts.push(front);
    return front;
  }

  /** Nothing of the credentials is left on disk. */
  expectNoCredentials(): void {
    expect(existsSync(join(this.work, 'publish-auth'))).toBe(false);
  }
}
