import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolPath } from '../../hack/cluster/index.ts';
import { stateOnNpm } from '../../hack/release/npm-state.ts';
import { pushChart } from '../../hack/release/push.ts';
import { packChart, renderChart } from '../../src/chart/index.ts';
import { chartSources, scratchFolder } from '../render/chart.ts';
import { type Registries, startRegistries } from './registries.ts';

let registries: Registries;
beforeAll(async () => {
  registries = await startRegistries();
});
afterAll(() => registries?.stop());

/** A packed chart; another handover script makes another chart of the same version. */
const archive = async (version: string, handover = ''): Promise<string> => {
  const sources = await chartSources({ version, runner: { program: new Uint8Array([1]), handover } });
  const file = path.join(scratchFolder('packed'), `nvidia-aicr-${version}.tgz`);
  writeFileSync(file, await packChart(renderChart(sources)));
  return file;
};

test('a chart is pushed, and pulled by its digest it is the same archive', async () => {
  const packed = await archive('1.0.0');
  const parent = `${registries.open.host}/one/charts`;
  const reference = await pushChart(packed, parent);
  expect(reference).toMatch(new RegExp(`^${parent}/nvidia-aicr@sha256:[0-9a-f]{64}$`));
  for (const tool of ['helm3', 'helm4'] as const) {
    const folder = scratchFolder('pulled');
    await execa(toolPath(tool), ['pull', `oci://${reference}`, '--plain-http', '--destination', folder]);
    const [pulled] = (await execa('ls', [folder])).stdout.split('\n');
    expect(Buffer.compare(readFileSync(path.join(folder, pulled ?? '')), readFileSync(packed))).toBe(0);
  }
});

test('a version that is there is not replaced by another chart, and stays what it was', async () => {
  const parent = `${registries.open.host}/two`;
  const first = await archive('1.0.0', 'first');
  const reference = await pushChart(first, parent);
  await expect(pushChart(await archive('1.0.0', 'second'), parent)).rejects.toThrow(
    `${parent}/nvidia-aicr:1.0.0 is there already with another content, and a released version is never replaced`,
  );
  expect(await pushChart(first, parent)).toBe(reference);
  expect(await pushChart(await archive('1.0.1', 'second'), parent)).not.toBe(reference);
});

test('a version with a plus sign is found again under the tag that Helm makes of it', async () => {
  const parent = `${registries.open.host}/three`;
  await pushChart(await archive('1.0.0+build.1', 'first'), parent);
  await expect(pushChart(await archive('1.0.0+build.1', 'second'), parent)).rejects.toThrow(
    /nvidia-aicr:1\.0\.0_build\.1 is there already/,
  );
});

test('nothing is pushed where it cannot be asked what is there', async () => {
  const parent = `${registries.guarded.host}/four`;
  await expect(pushChart(await archive('1.0.0'), parent)).rejects.toThrow(/the registry could not be asked/);
});

/** A registry of npm that has one version, or fails. */
const npmRegistry = async (status: number, integrity: string) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ dist: { integrity } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, asked, stop: () => server.close() };
};

test('npm is asked for the version of the packed package, and only its absence or the same bytes are good', async () => {
  const folder = scratchFolder('npm');
  mkdirSync(path.join(folder, 'package'));
  writeFileSync(path.join(folder, 'package', 'package.json'), '{"name": "some-command", "version": "1.2.3"}');
  const packed = path.join(folder, 'packed.tgz');
  await execa('tar', ['czf', packed, '-C', folder, 'package']);
  const same = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`;
  const state = async (status: number, integrity: string) => {
    const registry = await npmRegistry(status, integrity);
    try {
      return await stateOnNpm(packed, registry.url);
    } finally {
      expect(registry.asked).toEqual(['/some-command/1.2.3']);
      registry.stop();
    }
  };
  expect(await state(404, '')).toBe('absent');
  expect(await state(200, same)).toBe('same');
  await expect(state(200, 'sha512-other')).rejects.toThrow('is published already, with other bytes than');
  await expect(state(500, same)).rejects.toThrow('HTTP 500');
});
