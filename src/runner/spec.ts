import { readFileSync } from 'node:fs';
import validate from '../contract/generated/validate-run-spec.js';
import { RunError, type RunSpec } from '../contract/index.ts';

/** What came of reading run.json. */
export type SpecResult =
  | { readonly ok: true; readonly spec: RunSpec }
  /** `spec` holds what could be understood, enough to write a status document where the name of one is known. */
  | { readonly ok: false; readonly error: RunError; readonly spec: RunSpec };

const HINT =
  'The chart writes this file; render it again with an unchanged chart, and report it when the message stays.';

/**
 * Reads and checks run.json.
 * @param file its path
 * @param namespace of the pod, where the file does not tell
 * @param job name of the run's Job, which begins with the release's fullname, where the file tells nothing
 */
export function readRunSpec(file: string, namespace: string, job: string): SpecResult {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file).toString());
  } catch (error) {
    const what = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    return refused(`${file} ${what}: ${(error as Error).message}`, untold(job), namespace, error);
  }
  if (validate(content)) {
    return { ok: true, spec: content as RunSpec };
  }
  const violations = (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${pathOf(instancePath)} ${message ?? 'is not valid'}${namesOf(params as Record<string, unknown>)}`,
  );
  const told = isObject(content) ? content : untold(job);
  return refused(`${file} breaks the contract: ${violations.join('; ')}`, told, namespace, undefined);
}

function refused(message: string, content: unknown, namespace: string, cause: unknown): SpecResult {
  return {
    ok: false,
    error: new RunError('RunSpecInvalid', message, { hint: HINT, cause }),
    spec: salvage(content, namespace),
  };
}

const isObject = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && !Array.isArray(content);

/** What the chart would have stated by default, as far as the Job's name tells it: where the status goes. */
function untold(job: string): object {
  const fullname = /(.+)-install-[0-9a-f]+$/.exec(job)?.[1];
  return fullname === undefined
    ? {}
    : { release: { name: fullname, fullname }, status: { configMap: `${fullname}-status` } };
}

/** `aicr.sha256.amd64` of a JSON pointer; no key of the contract has a character that a pointer would escape. */
const pathOf = (pointer: string): string =>
  pointer === '' ? 'run.json' : pointer.slice(1).replaceAll('/', '.');

/** Which key or values a violation is about, where its message does not say. */
function namesOf(params: Record<string, unknown>): string {
  const { additionalProperty, allowedValues, allowedValue } = params;
  if (typeof additionalProperty === 'string') {
    return ` (${additionalProperty})`;
  }
  const allowed = Array.isArray(allowedValues)
    ? allowedValues
    : allowedValue === undefined
      ? null
      : [allowedValue];
  return allowed === null ? '' : ` (${allowed.join(', ')})`;
}

/** A RunSpec with what can be understood of a broken one and nothing to do. */
function salvage(content: unknown, namespace: string): RunSpec {
  const text = (...path: string[]): string => {
    const value = path.reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | null | undefined)?.[key],
      content,
    );
    return typeof value === 'string' ? value : '';
  };
  return {
    version: 1,
    chart: { version: text('chart', 'version') },
    release: {
      name: text('release', 'name'),
      namespace: text('release', 'namespace') || namespace,
      fullname: text('release', 'fullname'),
    },
    run: { id: text('run', 'id'), revision: 0 },
    aicr: { version: text('aicr', 'version'), arch: 'auto', sha256: { amd64: '', arm64: '' }, baseUrl: '' },
    criteria: { service: '', accelerator: '', intent: '', os: '', platform: '' },
    pack: { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' },
    recipe: { args: [], flags: '', configMap: '' },
    bundle: { args: [], flags: '', storageClass: '', preinstalledDriver: false },
    deploy: { enabled: false, args: [], flags: '', existingReleases: 'refuse', allowDowngrade: false },
    upgradeCheck: { enabled: false, failOn: [], configMap: '' },
    validate: {
      enabled: false,
      phases: [],
      failOnError: false,
      configMap: '',
      args: [],
      flags: '',
      emitEvidence: false,
      evidenceConfigMap: '',
      publish: {
        enabled: false,
        mode: 'signed',
        ref: '',
        identityToken: { secret: '', key: '' },
        registrySecret: '',
        failOnError: false,
        insecureTLS: false,
        plainHTTP: false,
      },
    },
    status: { configMap: text('status', 'configMap') },
    environment: { secret: [], plain: [], fromSecrets: false },
    lock: { namespace: '', waitSeconds: null },
    rbac: { clusterRole: '' },
    warnings: [],
  };
}
