import { describe, expect, it } from 'vitest';
import { Markers } from '../../src/runner/steps/deploy/markers.ts';

function read(...lines: readonly string[]): Markers {
  const markers = new Markers();
  for (const line of lines) markers.read(line);
  return markers;
}

const component = (index: number, name: string, state: string, attempts = 1) => ({
  index,
  of: 3,
  name,
  namespace: `${name}-ns`,
  state,
  attempts,
});

const start = (index: number, name: string): string => `┌─ [${index}/3] ${name}  →  ${name}-ns`;

describe('a component', () => {
  it('is being installed after its first line', () => {
    expect(read(start(1, 'nfd')).components).toEqual([component(1, 'nfd', 'Installing')]);
  });

  it('counts its attempts', () => {
    const markers = read(
      start(1, 'nfd'),
      '  ↺ nfd: attempt 1/5 failed, retrying in 5s...',
      '  ↺ nfd: attempt 2/5 failed, retrying in 20s...',
    );
    expect(markers.components).toEqual([component(1, 'nfd', 'Installing', 3)]);
  });

  it('is installed, or failed after so many attempts', () => {
    const markers = read(
      start(1, 'nfd'),
      '└─ ✓ nfd installed',
      start(2, 'gpu-operator'),
      '└─ ✗ gpu-operator FAILED (after 6 attempts)',
      start(3, 'kai'),
    );
    expect(markers.components).toEqual([
      component(1, 'nfd', 'Installed'),
      component(2, 'gpu-operator', 'Failed', 6),
      component(3, 'kai', 'Installing'),
    ]);
    expect(markers.current).toBe('kai');
  });

  it('may be without a namespace', () => {
    expect(read('┌─ [1/1] nfd  →  ').components).toMatchObject([{ name: 'nfd', namespace: '' }]);
  });

  it('that is being installed when the run stops is interrupted, others are not', () => {
    const markers = read(start(1, 'nfd'), '└─ ✓ nfd installed', start(2, 'kai'));
    expect(markers.interrupt()).toEqual(component(2, 'kai', 'Interrupted'));
    expect(markers.components.map(({ state }) => state)).toEqual(['Installed', 'Interrupted']);
    expect(read(start(1, 'nfd'), '└─ ✓ nfd installed').interrupt()).toBeNull();
  });

  it('that was never started does not come into being by its end', () => {
    expect(
      read('└─ ✓ ghost installed', '  ↺ ghost: attempt 1/5 failed, retrying in 5s...').components,
    ).toEqual([]);
  });
});

describe('a line is understood', () => {
  const coloured = (text: string): string => `\u001b[1m${text}\u001b[0m`;
  it.each([
    ['in colour', (text: string) => coloured(text)],
    ['with parts in colour', (text: string) => text.replace(/^\S+/, coloured)],
    ['with a carriage return at the end', (text: string) => `${text}\r`],
    ['after a progress bar on the same line', (text: string) => `pulling 99%\r${text}`],
    ['behind blanks', (text: string) => `   ${text}`],
  ])('%s', (_, dress) => {
    const markers = read(
      dress(start(1, 'nfd')),
      dress('└─ ✓ nfd installed'),
      dress('✓ All components installed successfully.'),
    );
    expect(markers.components).toEqual([component(1, 'nfd', 'Installed')]);
    expect(markers.report.success).toBe(true);
  });

  it('only as a whole: what a chart prints in its notes changes nothing', () => {
    const markers = read(
      start(1, 'nfd'),
      'NOTES: ✓ All components installed successfully',
      'echo "└─ ✗ nfd FAILED (after 1 attempts)"',
      '{"message":"✗ Deployment completed with failures (--best-effort): nfd"}',
      '\uFFFD\uFFFD\u0000 binary',
      '',
    );
    expect(markers.components).toEqual([component(1, 'nfd', 'Installing')]);
    expect(markers.report).toEqual({ success: false, failures: null, deferral: null, preflight: null });
  });
});

describe('the report', () => {
  it('is a success when the last word is one', () => {
    expect(
      read(start(1, 'nfd'), '└─ ✓ nfd installed', '✓ All components installed successfully.').report,
    ).toEqual({
      success: true,
      failures: null,
      deferral: null,
      preflight: null,
    });
  });

  it('is no success when more components follow', () => {
    expect(read('✓ All components installed successfully.', start(1, 'nfd')).report.success).toBe(false);
  });

  it('names what failed', () => {
    const { failures } = read(
      '✗ Deployment completed with failures (--best-effort): gpu-operator  kai',
    ).report;
    expect(failures).toEqual(['gpu-operator', 'kai']);
  });

  it('holds the deferral, also after the success line', () => {
    const { report } = read(
      '✓ All components installed successfully.',
      '⚠ DRA kubelet plugin restart blocked, retry needed for: nvidia-dra-driver-gpu',
    );
    expect(report.success).toBe(true);
    expect(report.deferral).toBe('nvidia-dra-driver-gpu');
  });

  it.each([
    ['✓ Pre-flight checks passed', 'passed'],
    ['✗ Pre-flight checks failed. Fix the issues above before deploying.', 'failed'],
  ])('knows the pre-flight: %s', (line, result) => {
    expect(read(line).report.preflight).toBe(result);
  });
});
