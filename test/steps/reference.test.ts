import { describe, expect, it } from 'vitest';
import { hubHint, registryOf } from '../../src/runner/steps/registry/reference.ts';

describe('a reference', () => {
  it.each([
    ['r.example:5000/acme/pack:1', 'r.example:5000', 'acme/pack'],
    ['GHCR.io/acme/pack:1.0.0', 'ghcr.io', 'acme/pack'],
    [`ghcr.io/acme/pack:1@sha256:${'a'.repeat(64)}`, 'ghcr.io', 'acme/pack'],
    [`localhost:5000/pack@sha256:${'a'.repeat(64)}`, 'localhost:5000', 'pack'],
    ['ghcr.io/pack', 'ghcr.io', 'pack'],
    ['ghcr.io', 'ghcr.io', ''],
    ['/pack', '', 'pack'],
    ['r.example:5000/a:1/pack', 'r.example:5000', 'a:1/pack'],
    ['[::1]:5000/pack:1', '[::1]:5000', 'pack'],
  ])('%s is taken apart', (ref, host, repository) => {
    expect(registryOf(ref)).toEqual({ host, repository });
  });

  it.each(['ghcr.io/acme/pack:1', 'localhost/pack:1', 'registry:5000/pack:1'])('%s names a host', (ref) => {
    expect(hubHint(registryOf(ref))).toBe('');
  });

  it('without a host is likely one of the Docker Hub', () => {
    expect(hubHint(registryOf('acme/pack:1'))).toBe(
      ' If acme is not a host but an account at the Docker Hub, write docker.io/acme/pack.',
    );
  });
});
