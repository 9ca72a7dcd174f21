import { describe, test } from 'vitest';
import { askForWords, type GuardCase } from './guards.ts';
import { FULL } from './helm.ts';

const validated = (more: object): object => ({ ...FULL, validate: { enabled: true, ...more } });
const publishedTo = (ref: string): object =>
  validated({ emitEvidence: true, publish: { enabled: true, mode: 'unsigned', ref } });

const NOT_A_FLAG = 'is a flag that the installer sets itself; remove it';

const messages: readonly GuardCase[] = [
  [
    'a run that does nothing',
    { ...FULL, deploy: { enabled: false } },
    [
      'deploy.enabled: is false, and so is validate.enabled, so the Job would do nothing; set one of the two to true',
    ],
  ],
  [
    'no phases',
    validated({ phases: [] }),
    [
      'validate.phases: is empty, so nothing would be validated; name deployment, performance, conformance, or all',
    ],
  ],
  [
    'a phase that is none',
    validated({ phases: ['all', 'g"u'] }),
    ['validate.phases[1]: "g\\"u" is not a phase; use deployment, performance, conformance, or all'],
  ],
  [
    'a publication of nothing',
    {
      ...FULL,
      validate: { publish: { enabled: true, mode: 'x"y', ref: '', identityTokenSecret: { key: 'a"' } } },
    },
    [
      'validate.publish.enabled: is true while validate.enabled is false, so there is no evidence; set validate.enabled to true, or this to false',
      'validate.publish.enabled: is true while validate.emitEvidence is false, so there is no evidence; set validate.emitEvidence to true, or this to false',
      'validate.publish.ref: is empty; set it to where the evidence goes, for example ghcr.io/acme/aicr-evidence',
      'validate.publish.mode: "x\\"y" is not a mode; use signed or unsigned',
      'validate.publish.identityTokenSecret.key: "a\\"" cannot be a key of a Secret; use letters, digits, -, _ and ., not .. in front',
    ],
  ],
  [
    'a signature without a token',
    validated({ emitEvidence: true, publish: { enabled: true, mode: 'signed', ref: 'r.example/a' } }),
    [
      'validate.publish.identityTokenSecret.name: is empty, but mode signed needs an identity token; name the Secret that holds one, or set validate.publish.mode to unsigned',
    ],
  ],
  ...(
    [
      ['oci://r.example//a', 'oci://r.example//a has a scheme; write the reference without it: r.example//a'],
      [
        'r.example/a\tb',
        '"r.example/a\\tb" has a blank in it; write registry/repository or registry/repository:tag',
      ],
      [
        'r.example/a@b',
        'has an @ in it; leave the digest out, which only the content can tell, and user names too',
      ],
      [
        'acme/a',
        'acme/a has no registry in front; write registry/repository, for example ghcr.io/acme/aicr-evidence',
      ],
      [
        'acme/r.example/a',
        'acme/r.example/a has no registry in front; write registry/repository, for example ghcr.io/acme/aicr-evidence',
      ],
      [
        'r.example/Acme',
        'r.example/Acme has capital letters in its repository; registries take it in lower case',
      ],
      ['r.example/a"', '"r.example/a\\"" is not an OCI reference; write host[:port]/repository[:tag]'],
      ['r.example/a://b', '"r.example/a://b" is not an OCI reference; write host[:port]/repository[:tag]'],
      ['r.example/a:b/C', '"r.example/a:b/C" is not an OCI reference; write host[:port]/repository[:tag]'],
    ] as const
  ).map(
    ([ref, fault]) => [`the reference ${ref}`, publishedTo(ref), [`validate.publish.ref: ${fault}`]] as const,
  ),
  [
    'flags for aicr validate',
    {
      ...(validated({ emitEvidence: true }) as object),
      validateFlags: '--recipe x  -o=y',
      validateArgs: ['--config=c', '--push', '--phase=all', '--no-cluster'],
    },
    [
      `validateFlags: --recipe ${NOT_A_FLAG}`,
      `validateFlags: -o=y ${NOT_A_FLAG}`,
      'validateArgs[0]: --config=c would bring settings past these values, another recipe among them; remove it and write what it says as flags',
      'validateArgs[1]: --push would publish without credentials, before the verdict is kept; use validate.publish',
      'validateArgs[2]: --phase=all would add to the phases; use validate.phases',
      'validateArgs[3]: --no-cluster checks nothing, and aicr refuses to make evidence of that; remove it, or set validate.emitEvidence to false',
    ],
  ],
  [
    'verdicts of the upgrade check',
    { ...FULL, upgradeCheck: { failOn: ['safe', '"'] } },
    ['"safe"', '"\\""'].map(
      (word, index) =>
        `upgradeCheck.failOn[${index}]: ${word} is not a verdict that can stop a run; use blocked, manual, unknown, or unversioned`,
    ),
  ],
  [
    'no names for what was proven',
    validated({ resultConfigMap: '', evidenceConfigMap: '' }),
    ['evidenceConfigMap', 'resultConfigMap'].map(
      (key) => `validate.${key}: is empty, but what was proven must be kept somewhere; name a ConfigMap`,
    ),
  ],
];

describe.concurrent('guards of the validation say, word for word,', () => {
  test.each(messages)('what is wrong with %s', askForWords);
});
