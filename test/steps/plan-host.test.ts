import { describe, expect, it } from 'vitest';
import { podPaths } from '../../src/runner/paths.ts';
import { podHost } from '../../src/runner/plan/index.ts';
import { host, planWith, step, thrown } from './spec.ts';

describe('the download', () => {
  it('is of the archive for the CPU the pod landed on', () => {
    const download = step(
      planWith(
        (spec) => {
          spec.aicr.sha256 = { amd64: 'a'.repeat(64), arm64: 'b'.repeat(64) };
        },
        { ...host, arch: 'arm64' },
      ),
      'download',
    );
    expect(download).toMatchObject({
      arch: 'arm64',
      archiveUrl: 'https://mirror.example/aicr/v1.2.0/aicr_1.2.0_linux_arm64.tar.gz',
      checksumsUrl: 'https://mirror.example/aicr/v1.2.0/aicr_checksums.txt',
      pin: 'b'.repeat(64),
    });
  });

  it('takes an explicit CPU kind that fits', () => {
    const download = step(
      planWith((spec) => {
        spec.aicr.arch = 'amd64';
      }),
      'download',
    );
    expect(download.arch).toBe('amd64');
  });

  it('is refused for an explicit CPU kind that does not fit the node', () => {
    const error = thrown(() =>
      planWith((spec) => {
        spec.aicr.arch = 'arm64';
      }),
    );
    expect(error.code).toBe('BinaryNotRunnable');
    expect(error.message).toBe(
      'aicrArch is arm64, but the pod landed on a node of kind amd64: that aicr cannot run here',
    );
    expect(error.hint).toBe(
      'Set aicrArch to auto (the default), or steer the installer with job.nodeSelector kubernetes.io/arch: arm64.',
    );
  });

  it.each([
    ['https://user:secret@mirror.example/aicr', 'user name or password'],
    ['https://mirror.example/aicr?token=1', 'query'],
    ['https://', 'not a URL'],
  ])('is refused from %s, without repeating it', (baseUrl, fault) => {
    const error = thrown(() =>
      planWith((spec) => {
        spec.aicr.baseUrl = baseUrl;
      }),
    );
    expect(error.code).toBe('RunSpecInvalid');
    expect(error.message).toContain('aicrSource.baseUrl');
    expect(error.message).toContain(fault);
    expect(`${error.message} ${error.hint}`).not.toMatch(/secret|token/);
  });
});

describe('the pod', () => {
  it('is where the contract says', () => {
    expect(podHost('x64', podPaths(''))).toEqual(host);
    expect(podHost('arm64', podPaths('')).arch).toBe('arm64');
  });

  it('may not be on a CPU kind that aicr is not released for', () => {
    const error = thrown(() => podHost('s390x', podPaths('')));
    expect(error.code).toBe('BinaryNotRunnable');
    expect(error.message).toBe("aicr is not released for this node's CPU kind (s390x)");
    expect(error.hint).toBe(
      'Let the installer run on an amd64 or arm64 node: job.nodeSelector with kubernetes.io/arch.',
    );
  });
});
