import { describe, test } from 'vitest';
import { askForWords } from './guards.ts';
import { FULL } from './helm.ts';

const validate = { enabled: true, emitEvidence: true };
const publish = (ref: string): object => ({ enabled: true, mode: 'unsigned', ref });

/** Texts with lines of their own, which must not look like what another guard says. */
const cases: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'a data pack',
    { dataPack: 'oci://r.example/p\nrunId: x' },
    [
      'dataPack: "oci://r.example/p\\nrunId: x" has a blank in it; write registry/repository:tag or registry/repository@sha256:digest',
    ],
  ],
  [
    'a reference to push to',
    { deployFlags: '', validate: { ...validate, publish: publish('oci://r.example/p\nrunId: x') } },
    [
      'validate.publish.ref: "oci://r.example/p\\nrunId: x" has a blank in it; write registry/repository or registry/repository:tag',
    ],
  ],
  [
    'a CPU kind',
    { aicrSha256: { 'x\nrunId: x': 'a' } },
    ['aicrSha256.x_runId:_x: is not a CPU kind that aicr is released for; use amd64 or arm64'],
  ],
  [
    'an argument',
    { validateArgs: ['--recipe=x\nrunId: x'] },
    ['validateArgs[0]: --recipe=x runId: x is a flag that the installer sets itself; remove it'],
  ],
  [
    'a phase',
    { validate: { phases: ['a\nrunId: x'] } },
    ['validate.phases[0]: "a\\nrunId: x" is not a phase; use deployment, performance, conformance, or all'],
  ],
];

describe.concurrent('a guard says one line', () => {
  test.each(cases)('though there are lines in the value: %s', async (name, values, lines) => {
    await askForWords(name, { ...FULL, ...values }, lines);
  });
});
