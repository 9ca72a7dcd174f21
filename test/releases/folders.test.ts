import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type BundledRelease, readBundle } from '../../src/runner/steps/releases/bundle.ts';
import { temporaryFolder } from '../steps/context.ts';

const MINUTE = 60_000;

let dir: string;
beforeEach(() => {
  dir = temporaryFolder();
});

/** Puts a component's folder into the bundle. @param rest of the line that calls helm */
function folder(name: string, rest: string): void {
  mkdirSync(join(dir, name));
  writeFileSync(join(dir, name, 'install.sh'), `exec helm upgrade --install x ./ ${rest}\n`);
}

const expected = (name: string, change: Partial<BundledRelease> = {}): BundledRelease => ({
  name,
  namespace: name,
  component: name,
  timeoutMs: 5 * MINUTE,
  ...change,
});
const namesOf = async (): Promise<readonly string[]> => (await readBundle(dir)).map(({ name }) => name);

describe('a bundle by its folders alone', () => {
  test('has what aicr puts beside a component under that component', async () => {
    folder('004-my-post', '--namespace "mine" --timeout 90s');
    folder('001-nodewright-pre', '-n nodewright --create-namespace');
    folder('0003-nodewright-readiness', '--namespace=nodewright --timeout 1h35m');
    folder('002-nodewright', "--namespace 'nodewright'");
    const nodewright = { namespace: 'nodewright', component: 'nodewright' };
    expect(await readBundle(dir)).toEqual([
      expected('nodewright-readiness', { ...nodewright, timeoutMs: 95 * MINUTE }),
      expected('nodewright-pre', nodewright),
      expected('nodewright'),
      expected('my-post', { namespace: 'mine', timeoutMs: 1.5 * MINUTE }),
    ]);
  });

  test('has a component of its own where only the end of a name looks like one beside it', async () => {
    folder('001-a', '-n a');
    folder('002-a-pre-b', '-n a-pre-b');
    expect(await readBundle(dir)).toEqual([expected('a'), expected('a-pre-b')]);
  });

  test('has only numbered folders whose script names a namespace', async () => {
    folder('001-a', '-n a');
    folder('02-b', '-n b');
    folder('x003-c', '-n c');
    folder('004-', '-n d');
    folder('005-e', '--dry-run-n e');
    mkdirSync(join(dir, '006-f'));
    writeFileSync(join(dir, '007-g'), 'helm -n g');
    expect(await readBundle(dir)).toEqual([expected('a')]);
  });

  test('has the longest time that deploy.sh states', async () => {
    folder('001-a', '-n a');
    writeFileSync(join(dir, 'deploy.sh'), 'limit=10m\nlonger=20m\n');
    expect(await readBundle(dir)).toEqual([expected('a', { timeoutMs: 20 * MINUTE })]);
  });

  test.each([
    ['of another kind', 'kind: Something\n'],
    ['whose list is a text', 'layout: {releases: none}\n'],
    ['whose layout is nothing', 'layout:\n'],
    ['that is a text', 'hello\n'],
    ['that is null', 'null\n'],
    ['that is empty', ''],
    ['that is no YAML', 'layout: {releases: [\n'],
    ['whose entries are not whole', 'layout: {releases: [null, {}, {name: a, namespace: b}]}\n'],
  ])('is not told otherwise by a bundle-info.yaml %s', async (_, text) => {
    folder('001-a', '-n a');
    writeFileSync(join(dir, 'bundle-info.yaml'), text);
    expect(await namesOf()).toEqual(['a']);
  });
});

describe('a bundle by its bundle-info.yaml', () => {
  const info = (releases: object): void =>
    writeFileSync(join(dir, 'bundle-info.yaml'), JSON.stringify({ layout: { releases } }));

  test('has the order, names, namespaces and components that are stated there', async () => {
    folder('b', '--timeout 7m');
    folder('003-c', '-n c');
    info([
      { name: 'b', namespace: 'b-ns', component: 'of-b', path: 'b' },
      { name: 'a', namespace: 'a', path: 'a' },
      { name: 'd', namespace: 'd', component: 7, path: 'd' },
    ]);
    expect(await readBundle(dir)).toEqual([
      expected('b', { namespace: 'b-ns', component: 'of-b', timeoutMs: 7 * MINUTE }),
      expected('a'),
      expected('d'),
    ]);
  });

  test('has the namespace of install.sh where none is stated', async () => {
    folder('a', '-n from-script');
    info([
      { name: 'a', namespace: '', path: 'a' },
      { name: 'b', namespace: '', path: 'b' },
    ]);
    expect(await readBundle(dir)).toEqual([expected('a', { namespace: 'from-script' })]);
  });

  test('has no release of which name, namespace or folder is not a text', async () => {
    const whole = { name: 'a', namespace: 'a', path: 'a' };
    folder('a', '-n a');
    info([
      { ...whole, name: 1 },
      { ...whole, namespace: null },
      { ...whole, path: ['a'] },
      { ...whole, name: 'b' },
    ]);
    expect(await namesOf()).toEqual(['b']);
  });
});
