import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../src/runner/steps/releases/bundle.ts';

const MINUTE = 60_000;

describe('a bundle by its folders alone', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bundle-'));
    const install = (name: string, rest: string): [string, string] => [
      name,
      `exec helm upgrade --install ${name.slice(4)} ./ ${rest}\n`,
    ];
    const folders = [
      install('001-nodewright-pre', '-n nodewright --create-namespace'),
      install('002-nodewright', '--namespace nodewright'),
      install('003-nodewright-readiness', '--namespace=nodewright --timeout 1h35m'),
      install('004-my-post', '--namespace "mine" --timeout 90s'),
    ];
    for (const [name, script] of folders) {
      await mkdir(join(dir, name));
      await writeFile(join(dir, name, 'install.sh'), script);
    }
    await mkdir(join(dir, 'data'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('has what aicr puts beside a component under that component', async () => {
    expect(await readBundle(dir)).toEqual([
      { name: 'nodewright-pre', namespace: 'nodewright', component: 'nodewright', timeoutMs: 5 * MINUTE },
      { name: 'nodewright', namespace: 'nodewright', component: 'nodewright', timeoutMs: 5 * MINUTE },
      {
        name: 'nodewright-readiness',
        namespace: 'nodewright',
        component: 'nodewright',
        timeoutMs: 95 * MINUTE,
      },
      { name: 'my-post', namespace: 'mine', component: 'my-post', timeoutMs: 1.5 * MINUTE },
    ]);
  });

  test.each([
    ['of another kind', 'kind: Something\n'],
    ['whose list is a text', 'layout: {releases: none}\n'],
    ['that is empty', ''],
  ])('is not told otherwise by a bundle-info.yaml %s', async (_, text) => {
    const copy = `${dir}-copy`;
    await cp(dir, copy, { recursive: true });
    await writeFile(join(copy, 'bundle-info.yaml'), text);
    expect(await readBundle(copy)).toHaveLength(4);
    await rm(copy, { recursive: true });
  });
});
