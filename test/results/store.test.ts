import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOTES_KEY, RunError } from '../../src/contract/index.ts';
import { createClock } from '../../src/runner/ports/system-clock.ts';
import {
  type Result,
  type ResultEntry,
  type ResultStore,
  writeResult,
} from '../../src/runner/results/index.ts';
import { type ApiStore, startApiStore } from './api-store.ts';

let api: ApiStore;
let folder: string;
let sleeps: number[];
let stop: AbortController;

beforeAll(async () => {
  api = await startApiStore('gpu', 'stack');
});
afterAll(() => api.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'results-'));
  sleeps = [];
  stop = new AbortController();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await api.clear();
});

const wholeAt = 'The registry keeps the whole.';
const evidence = (bytes: Uint8Array): ResultEntry => ({
  key: 'evidence.tgz',
  bytes,
  size: bytes.length,
  wholeAt,
});
const write = (entries: readonly ResultEntry[], store: ResultStore = api.cluster) => {
  const result: Result = {
    name: 'evidence',
    namespace: 'gpu',
    entries,
    keys: ['evidence.tgz', 'pointer.yaml', 'ctrf.json'],
    value: 'validate.evidenceConfigMap',
  };
  const clock = createClock();
  return writeResult(result, {
    store,
    release: 'stack',
    signal: stop.signal,
    clock: { ...clock, sleep: async (milliseconds) => void sleeps.push(milliseconds) },
    log: { info: () => {}, warn: () => {} },
  });
};
const pointer: ResultEntry = { key: 'pointer.yaml', text: 'a pointer\n', wholeAt };
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The commands that the notes of a ConfigMap give, run as they stand. */
async function followNotes(): Promise<void> {
  const notes = (await api.find('evidence'))?.data?.[NOTES_KEY] ?? '';
  const commands = notes.split('\n').filter((line) => line.startsWith('  for '));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) await api.shell(command.trim(), folder);
}

describe('on a real API server', () => {
  it('binary content comes back with the same sha256 by the command of the spec', async () => {
    const bytes = randomBytes(300_000);
    expect(await write([evidence(bytes)])).toEqual({ written: true, configMaps: ['evidence'], warnings: [] });
    await api.shell(
      "kubectl get cm evidence -n gpu -o jsonpath='{.binaryData.evidence\\.tgz}' | base64 -d > evidence.tgz",
      folder,
    );
    expect(sha256(readFileSync(join(folder, 'evidence.tgz')))).toBe(sha256(bytes));
  });

  it('a result of 5 MB, and one of text, are joined by the very commands their notes give', async () => {
    const bytes = randomBytes(5_000_000);
    const report = `${JSON.stringify({ lines: Array.from({ length: 40_000 }, (_, index) => `ü "${index}" 😀\\`) }, null, 1)}\n`;
    const written = await write([evidence(bytes), { key: 'ctrf.json', text: report, wholeAt }]);
    expect(written).toMatchObject({
      written: true,
      warnings: [
        expect.stringContaining('evidence.tgz is split'),
        expect.stringContaining('ctrf.json is split'),
      ],
    });
    await followNotes();
    expect(sha256(readFileSync(join(folder, 'evidence.tgz')))).toBe(sha256(bytes));
    expect(readFileSync(join(folder, 'ctrf.json'), 'utf8')).toBe(report);
  });

  it('carries the labels of a run, and none by which Helm or Argo CD would take it', async () => {
    await write([evidence(randomBytes(1_000_000))]);
    for (const name of await api.names()) {
      const { labels, annotations } = (await api.find(name))?.metadata ?? {};
      expect(labels).toMatchObject({ 'nvidia-aicr/written-by': 'run', 'nvidia-aicr/release': 'stack' });
      expect(
        Object.keys({ ...labels, ...annotations }).filter((key) => !key.startsWith('nvidia-aicr/')),
      ).toEqual([]);
    }
  });

  it('a smaller result removes the parts of a larger one, and only those', async () => {
    await write([evidence(randomBytes(3_000_000))]);
    await api.create('evidence-99', { a: 'b' });
    await write([evidence(randomBytes(1_000_000))]);
    expect(await api.names()).toEqual(['evidence', 'evidence-1', 'evidence-2', 'evidence-99']);
    await write([evidence(randomBytes(10))]);
    expect(await api.names()).toEqual(['evidence', 'evidence-99']);
    expect((await api.find('evidence'))?.data?.[NOTES_KEY]).toBeUndefined();
  });

  it.each([
    ["a person's", {}],
    ["another result's", { 'nvidia-aicr/written-by': 'run', 'nvidia-aicr/release': 'stack' }],
    [
      "another release's",
      { 'nvidia-aicr/written-by': 'run', 'nvidia-aicr/release': 'other', 'nvidia-aicr/part': '1-of-1' },
    ],
  ])('leaves a ConfigMap of %s alone that only has the name of a part', async (_, labels) => {
    await api.create('evidence-1', { mine: 'yes' }, labels);
    await write([evidence(randomBytes(10))]);
    expect((await api.find('evidence-1'))?.data).toEqual({ mine: 'yes' });
  });

  it('adds a key without dropping the other, and drops it when it is no longer true', async () => {
    await write([evidence(Buffer.from('one'))]);
    await write([pointer, evidence(Buffer.from('one'))]);
    expect(await api.find('evidence')).toMatchObject({
      data: { 'pointer.yaml': 'a pointer\n' },
      binaryData: { 'evidence.tgz': 'b25l' },
    });
    await write([evidence(Buffer.from('two'))]);
    expect((await api.find('evidence'))?.data).toBeUndefined();
  });

  it("keeps a person's additions, and replaces and removes what another program wrote under our keys", async () => {
    await api.create('evidence', { 'pointer.yaml': 'stale', note: 'kept' });
    await write([evidence(Buffer.from('two'))]);
    expect(await api.find('evidence')).toMatchObject({
      data: { note: 'kept' },
      binaryData: { 'evidence.tgz': 'dHdv' },
    });
    expect(Object.keys((await api.find('evidence'))?.data ?? {})).toEqual(['note']);
    await write([pointer]);
    expect((await api.find('evidence'))?.binaryData).toBeUndefined();
  });

  it("says when it takes another release's ConfigMap over", async () => {
    await api.create('evidence', { a: 'b' }, { 'nvidia-aicr/release': 'other' });
    expect(await write([pointer])).toMatchObject({
      warnings: [expect.stringMatching(/release other .* its own validate\.evidenceConfigMap$/)],
    });
  });
});

describe('when writing fails', () => {
  const trouble = (error: Error, times: number): { store: ResultStore; calls: () => number } => {
    let calls = 0;
    const store: ResultStore = {
      ...api.cluster,
      applyConfigMap: async (...args) => {
        calls += 1;
        if (calls <= times) throw error;
        await api.cluster.applyConfigMap(...args);
      },
    };
    return { store, calls: () => calls };
  };

  it('it is tried again, with pauses', async () => {
    const { store } = trouble(new Error('the server is down'), 2);
    expect(await write([pointer], store)).toMatchObject({ written: true });
    expect(sleeps).toEqual([1_000, 2_000]);
  });

  it('for good, it says why instead of rejecting', async () => {
    const { store, calls } = trouble(new Error('the server is down'), 100);
    expect(await write([pointer], store)).toEqual({ written: false, why: 'the server is down' });
    expect(calls()).toBe(9);
  });

  it('because the API server is away for two minutes, it is written then', async () => {
    const passed = () => sleeps.reduce((sum, sleep) => sum + sleep, 0);
    const store: ResultStore = {
      ...api.cluster,
      applyConfigMap: async (...args) => {
        if (passed() < 120_000) throw new Error('connection refused');
        await api.cluster.applyConfigMap(...args);
      },
    };
    expect(await write([pointer], store)).toMatchObject({ written: true });
  });

  it('because the API server refuses it, it is not tried again', async () => {
    const { store, calls } = trouble(
      new RunError('RightsMissing', 'forbidden', { hint: 'bind a role' }),
      100,
    );
    expect(await write([pointer], store)).toEqual({ written: false, why: 'forbidden' });
    expect(calls()).toBe(1);
  });

  it('in a run that is being stopped, it is tried once', async () => {
    stop.abort(new Error('SIGTERM'));
    const { store, calls } = trouble(new Error('the server is down'), 100);
    expect(await write([pointer], store)).toMatchObject({ written: false });
    expect(calls()).toBe(1);
  });

  it('in a run that is being stopped, what can be written is written', async () => {
    stop.abort(new Error('SIGTERM'));
    expect(await write([pointer])).toMatchObject({ written: true });
  });
});
