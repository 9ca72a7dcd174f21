import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import {
  ACME,
  buildRelease,
  DEFAULT_VERSION,
  packFolder,
  packHeaders,
  releaseBinary,
} from '../../hack/standin/index.ts';

/** The stand-in aicr, and what it needs to validate without a cluster. */
export interface Aicr {
  readonly binary: string;
  /**
   * Runs `aicr validate --emit-attestation`.
   * @param dir receives pointer.yaml and summary-bundle/
   * @param output what the one check prints; all of it is in the evidence
   */
  emit(dir: string, output?: string): Promise<void>;
}

/** Builds the stand-in. @param folder where it is put */
export async function standIn(folder: string): Promise<Aicr> {
  const release = await buildRelease({ version: DEFAULT_VERSION, dir: join(folder, 'release') });
  const binary = await releaseBinary(release, join(folder, 'bin'));
  const pack = await packFolder('acme', {
    headers: packHeaders(release.version),
    into: join(folder, 'pack'),
  });
  const recipe = join(folder, 'recipe.yaml');
  const snapshot = join(folder, 'snapshot.yaml');
  const criteria = Object.entries(ACME).flatMap(([name, value]) => [`--${name}`, value]);
  await execa(binary, ['recipe', '--data', pack, ...criteria, '--output', recipe]);
  const server = { type: 'K8s', subtypes: [{ subtype: 'server', data: { version: 'v1.36.3' } }] };
  writeFileSync(snapshot, stringify({ apiVersion: 'aicr.run/v1', kind: 'Snapshot', measurements: [server] }));

  return {
    binary,
    emit: async (dir, output = 'all well') => {
      const check = (name: string) => ({ name, phase: 'deployment', image: 'x', args: ['passed', output] });
      const catalog = {
        apiVersion: 'validator.nvidia.com/v1alpha1',
        kind: 'ValidatorCatalog',
        validators: [check('operator-health'), check('expected-resources')],
      };
      mkdirSync(join(pack, 'validators'), { recursive: true });
      writeFileSync(join(pack, 'validators', 'catalog.yaml'), stringify(catalog));
      const argv = [
        'validate',
        '--recipe',
        recipe,
        '--snapshot',
        snapshot,
        '--data',
        pack,
        '--phase',
        'deployment',
      ];
      await execa(binary, [
        ...argv,
        '--full',
        '--emit-attestation',
        dir,
        '--output',
        join(folder, 'ctrf.json'),
      ]);
    },
  };
}
