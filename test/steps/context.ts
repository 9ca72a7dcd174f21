import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { ComponentStatus, ResultRef } from '../../src/contract/index.ts';
import type { StepContext } from '../../src/runner/context.ts';
import { createMask } from '../../src/runner/mask.ts';
import { createCommands } from '../../src/runner/ports/child-commands.ts';
import type { Cluster } from '../../src/runner/ports/index.ts';
import { createHttp } from '../../src/runner/ports/node-http.ts';
import { createClock } from '../../src/runner/ports/system-clock.ts';

/** Everything a step said and recorded. */
export interface Recorded {
  readonly log: string[];
  readonly warnings: string[];
  readonly facts: Parameters<StepContext['status']['note']>[0];
  readonly components: ComponentStatus[];
  readonly results: ResultRef[];
  readonly waits: string[];
  readonly retries: string[];
  /** Milliseconds of every sleep that was asked for. */
  readonly sleeps: number[];
}

/** A step's context over real processes and sockets; only long sleeps are cut short, and what they asked for is kept. */
export interface TestContext {
  readonly context: StepContext;
  readonly recorded: Recorded;
  /** Ends the run, as SIGTERM or the deadline would. */
  abort(reason: Error): void;
}

const noCluster: Cluster = new Proxy({} as Cluster, {
  get: (_, name) => () => Promise.reject(new Error(`this test has no cluster: ${String(name)}`)),
});

/** @param cluster a real one where the step needs it */
export function testContext(cluster: Cluster = noCluster): TestContext {
  const aborting = new AbortController();
  const mask = createMask();
  const clock = createClock();
  const facts: Recorded['facts'] = {};
  const recorded: Recorded = {
    log: [],
    warnings: [],
    facts,
    components: [],
    results: [],
    waits: [],
    retries: [],
    sleeps: [],
  };
  const say = (line: string): void => void recorded.log.push(mask.apply(line));
  return {
    recorded,
    abort: (reason) => aborting.abort(reason),
    context: {
      commands: createCommands({ mask: mask.apply, busy: () => null, stopGraceMs: () => 2_000 }),
      cluster,
      http: createHttp(),
      run: {
        release: 'gpu',
        namespace: 'nvidia-aicr',
        job: 'gpu-install-1',
        pod: 'gpu-install-1-x',
        podUid: 'uid',
      },
      earlier: null,
      clock: {
        ...clock,
        sleep: (milliseconds, signal) => {
          recorded.sleeps.push(milliseconds);
          // Ten minutes are the limit of what hangs, not a pause: it stays long.
          return clock.sleep(milliseconds === 600_000 ? milliseconds : Math.min(milliseconds, 5), signal);
        },
      },
      log: { info: say, warn: say, error: say, child: say },
      status: {
        note: (noted) => void Object.assign(facts, noted),
        component: (component) => void recorded.components.push(component),
        warn: (message) => void recorded.warnings.push(message),
        result: (result) => void recorded.results.push(result),
        waitingForSecret: async (message) => void recorded.waits.push(message),
        secretLanded: async (message) => void recorded.waits.push(message),
        retrying: (reason) => void recorded.retries.push(reason),
      },
      signal: aborting.signal,
      deadline: null,
      mask: mask.add,
    },
  };
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steps-'));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
