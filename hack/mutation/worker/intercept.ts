import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import type { RenderAnswer } from './renderer.ts';

const real = childProcess.execFile;

/** Starts the real helm, in an environment of its own. */
export const runHelm = (program: string, args: readonly string[]): Promise<RenderAnswer> =>
  new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], HOME: '/nonexistent' }, maxBuffer: 64 * 1024 * 1024 };
    real(program, args, options, (error, stdout, stderr) => resolve({ ok: error === null, stdout, stderr }));
  });

type Callback = (error: Error | null, stdout: string, stderr: string) => void;

/** Who answers for helm, and is told of what else is started. */
export interface Stand {
  /** @returns undefined when the real helm must be started */
  readonly helm: (generation: 3 | 4, args: readonly string[]) => Promise<RenderAnswer | undefined>;
  readonly other: (program: string) => void;
}

/**
 * Puts a stand-in in the place of helm, for every test of this process that starts it with `execFile`. All other
 * programs, and helm in other ways, are started as ever.
 * @param helms paths of the helms
 */
export const interceptHelm = (helms: Readonly<Record<'3' | '4', string>>, stand: Stand): void => {
  const realSpawn = childProcess.spawn;
  const start = (...given: unknown[]): unknown => {
    const [program, args] = given as [string, readonly string[]];
    const callback = given.at(-1) as Callback;
    const generation = program === helms[3] ? 3 : program === helms[4] ? 4 : undefined;
    if (generation === undefined || !Array.isArray(args) || typeof callback !== 'function') {
      stand.other(program);
      return (real as (...all: unknown[]) => unknown)(...given);
    }
    const answered = (answer: RenderAnswer | undefined): void => {
      if (answer === undefined) {
        (real as (...all: unknown[]) => unknown)(...given);
        return;
      }
      const { ok, stdout, stderr } = answer;
      const error = Object.assign(new Error(`Command failed: ${program} ${args.join(' ')}\n${stderr}`), {
        code: 1,
      });
      callback(ok ? null : error, stdout, stderr);
    };
    // A fault of ours is a fault of the test that asked: it may not wait for ever.
    stand.helm(generation, args).then(answered, (error: Error) => callback(error, '', error.message));
    return new EventEmitter();
  };
  const promised = (program: string, args: readonly string[], options: object = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      start(program, args, options, ((error, stdout, stderr) =>
        error === null
          ? resolve({ stdout, stderr })
          : reject(Object.assign(error, { stdout, stderr }))) as Callback);
    });
  const replaced = Object.assign(start, { [promisify.custom]: promised });
  childProcess.execFile = replaced as unknown as typeof childProcess.execFile;
  childProcess.spawn = ((...given: unknown[]) => {
    stand.other(String(given[0]));
    return (realSpawn as (...all: unknown[]) => unknown)(...given);
  }) as typeof childProcess.spawn;
  syncBuiltinESMExports();
};
