import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';

/** What a helm was asked, and what it said. */
export interface HelmCall {
  readonly generation: 3 | 4;
  readonly args: readonly string[];
  /** Where it was started; undefined where this process is. */
  readonly cwd: string | undefined;
  readonly answer: Promise<{ ok: boolean; stdout: string; stderr: string }>;
}

/** Calls of the test of the moment, also where several tests run side by side. */
const calls = new AsyncLocalStorage<HelmCall[]>();

/** Notes a call for the test that made it; one that an earlier test made, too. */
export const noteCall = (call: HelmCall): void => void calls.getStore()?.push(call);

/**
 * Runs a test and notes its calls.
 * @returns them, once it has ended
 */
export const withCalls = async (run: () => Promise<void>): Promise<readonly HelmCall[]> => {
  const own: HelmCall[] = [];
  await calls.run(own, run);
  return own;
};

/** Renders of one test that are shown: what failed is mostly among the last. */
const SHOWN = 4;

/** Characters of a line that are shown: a program in base64 tells nobody anything. */
const WIDTH = 400;

/** Values and rendered objects of calls as text; what both helms were asked is shown once, as the newer one said it. */
export const describeCalls = async (all: readonly HelmCall[]): Promise<string> => {
  const different = new Map<string, { values: string; command: string; said: string }>();
  for (const { generation, args, cwd = '', answer } of all) {
    const file = args[args.indexOf('-f') + 1];
    const values =
      file !== undefined && args.includes('-f')
        ? readable(readFileSync(path.resolve(cwd, file), 'utf8'))
        : '';
    const asked = args.map((arg) => (arg === file ? 'VALUES' : arg)).join(' ');
    // Helm 3 is asked as for an upgrade; see helm.ts.
    const question = values + (generation === 3 ? asked.replace(' --is-upgrade', '') : asked);
    const { ok, stdout, stderr } = await answer;
    if (generation === 4 || !different.has(question)) {
      const command = `helm ${asked}`;
      different.set(question, { values, command, said: ok ? stdout : `${stdout}${stderr}` });
    }
  }
  const shown = [...different.values()]
    .slice(-SHOWN)
    .map(({ values, command, said }) => `---- values\n${values}---- ${command}\n${said}`);
  const left = different.size - shown.length;
  if (left > 0) shown.unshift(`---- ${left} earlier renders of this test are not shown\n`);
  return shown
    .join('')
    .split('\n')
    .map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}… (${line.length} characters)` : line))
    .join('\n');
};

/** Values as a person writes them; they lie there as JSON where a test made them of an object. */
const readable = (text: string): string => (text.startsWith('{') ? stringify(parse(text)) : text);
