import type { RunSpec } from '../../contract/index.ts';
import type { EvidenceStep, MountedSecret, PublishStep, ValidateStep } from '../planned.ts';
import { accessOf } from './access.ts';
import { dataArgs, type Files } from './files.ts';
import { splitFlags } from './flags.ts';
import type { Host } from './host.ts';
import { registrySecret } from './secret.ts';
import { targetOf } from './target.ts';

export function planValidate(spec: RunSpec, files: Files): ValidateStep {
  const { phases, failOnError, emitEvidence, flags, args, configMap } = spec.validate;
  const argv: [string, ...string[]] = [files.aicr, 'validate', '--recipe', files.recipe.file];
  argv.push(...phases.flatMap((phase) => ['--phase', phase]), ...dataArgs(spec, files));
  if (emitEvidence) argv.push('--emit-attestation', files.evidence);
  argv.push('--output', files.report, ...splitFlags(flags), ...args);
  return {
    name: 'validate',
    does: `validate the cluster against the recipe (${phases.length === 1 ? 'phase' : 'phases'} ${phases.join(', ')})`,
    argv,
    phases,
    reportFile: files.report,
    evidenceDir: emitEvidence ? files.evidence : '',
    failOnError,
    target: targetOf(spec, configMap),
    version: spec.aicr.version,
    access: spec.deploy.enabled ? null : accessOf(spec),
  };
}

export const planEvidence = (spec: RunSpec, files: Files): EvidenceStep => ({
  name: 'evidence',
  does: `keep the evidence bundle in ConfigMap ${spec.validate.evidenceConfigMap}`,
  dir: files.evidence,
  archive: files.archive,
  target: targetOf(spec, spec.validate.evidenceConfigMap),
});

export function planPublish(spec: RunSpec, host: Host, files: Files): PublishStep {
  const { mode, ref, registrySecret: login, identityToken, failOnError } = spec.validate.publish;
  const { plainHTTP, insecureTLS } = spec.validate.publish;
  const signed = mode === 'signed';
  const token: MountedSecret = {
    name: identityToken.secret,
    namespace: spec.release.namespace,
    key: identityToken.key,
    dir: host.identityTokenDir,
    value: 'validate.publish.identityTokenSecret',
  };
  const argv: [string, ...string[]] = [files.aicr, 'evidence', 'publish', files.evidence, '--push', ref];
  argv.push('--yes', ...(signed ? [] : ['--no-sign']));
  argv.push(...(plainHTTP ? ['--plain-http'] : []), ...(insecureTLS ? ['--insecure-tls'] : []));
  const as = login === '' ? 'anonymously' : `with Secret ${login}`;
  return {
    name: 'publish',
    does: `publish the evidence, ${mode}, to ${ref} ${as}`,
    argv,
    dir: files.evidence,
    archive: files.archive,
    ref,
    plainHTTP,
    configDir: files.publishAuth,
    registrySecret: registrySecret(spec, login, host.publishAuthDir, 'validate.publish.registrySecret'),
    identityToken: signed ? token : null,
    failOnError,
    target: targetOf(spec, spec.validate.evidenceConfigMap),
  };
}
