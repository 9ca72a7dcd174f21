import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { RunSpec } from '../../src/contract/index.ts';
import type { PlannedStep, PublishStep } from '../../src/runner/planned.ts';
import type { Cluster } from '../../src/runner/ports/index.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { type TestContext, temporaryFolder, testContext } from '../steps/context.ts';
import { type Registries, startRegistries } from '../steps/registries.ts';
import { host, planWith, step } from '../steps/spec.ts';
import { type Aicr, standIn } from './evidence.ts';
import { type Front, type Refused, startFront } from './front.ts';

/** Where evidence is kept. */
export const TARGET = { configMap: 'aicr-evidence-bundle', release: 'stack', namespace: 'gpu' };

/** What the values say about publishing. */
export type PublishWish = RunSpec['validate']['publish'];

/** What the tests of one file publish with: the stand-in, real registries, and evidence that is new for each test. */
export class Publishing {
  registries!: Registries;
  aicr!: Aicr;
  work = '';
  test!: TestContext;
  readonly #fronts: Front[] = [];

  /** Must be called while vitest collects a file. @param cluster where results are written, asked before each test */
  constructor(cluster: () => Cluster) {
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
      this.test = testContext(cluster());
    });
    afterEach(() => {
      for (const front of this.#fronts.splice(0)) front.stop();
    });
  }

  plan(ref: string, wish: Partial<PublishWish> = {}): PublishStep {
    const planned = step(this.#plan(ref, wish), 'publish');
    const [, ...args] = planned.argv;
    return { ...planned, argv: [this.aicr.binary, ...args] };
  }

  #plan(ref: string, wish: Partial<PublishWish>): readonly PlannedStep[] {
    const secrets = join(this.work, 'secrets');
    const publishAuthDir = join(secrets, 'publish');
    const identityTokenDir = join(secrets, 'identity-token');
    return planWith(
      (spec) => {
        spec.release = { ...spec.release, name: TARGET.release, namespace: TARGET.namespace };
        const { publish } = spec.validate;
        const wanted = {
          ...publish,
          enabled: true,
          mode: 'unsigned' as const,
          ref,
          plainHTTP: true,
          ...wish,
        };
        spec.validate = { ...spec.validate, enabled: true, emitEvidence: true, publish: wanted };
      },
      { ...host, work: this.work, publishAuthDir, identityTokenDir },
    );
  }

  /** Plans with a program of ours for aicr. @param script bash; $3 is the evidence's folder */
  planWith(script: string, wish?: Partial<PublishWish>): PublishStep {
    const program = join(this.work, 'program');
    writeFileSync(program, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    const planned = this.plan('127.0.0.1:9/acme/e', wish);
    const [, ...args] = planned.argv;
    return { ...planned, argv: [program, ...args] };
  }

  /** Captures the evidence and publishes it, as a run does. */
  async keepAndPublish(ref: string, wish?: Partial<PublishWish>): Promise<StepOutcome> {
    const kept = await runStep(step(this.#plan(ref, wish ?? {}), 'evidence'), this.test.context);
    expect(kept.message).toMatch(/^evidence\.tgz, .* sha256 [0-9a-f]{64}$/);
    return await this.publish(this.plan(ref, wish));
  }

  publish(planned: PublishStep): Promise<StepOutcome> {
    return runStep(planned, this.test.context);
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
