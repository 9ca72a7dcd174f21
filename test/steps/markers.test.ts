import { describe, expect, it } from 'vitest';
import { Markers, plain } from '../../src/runner/steps/deploy/markers.ts';

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

describe('what a line changes', () => {
  it('is told with the line: the component, or nothing', () => {
    const markers = new Markers();
    expect(markers.read(start(1, 'nfd'))).toEqual(component(1, 'nfd', 'Installing'));
    expect(markers.read('↺ nfd: attempt 1/5 failed')).toEqual(component(1, 'nfd', 'Installing', 2));
    expect(markers.read('✓ Pre-flight checks passed')).toBeNull();
    expect(markers.read('└─ ✗ nfd FAILED')).toEqual(component(1, 'nfd', 'Failed', 2));
    expect(markers.current).toBeNull();
    expect(markers.interrupt()).toBeNull();
    expect(markers.read('└─ ✓ ghost installed')).toBeNull();
  });

  it('is nothing for the component at work when another one ends', () => {
    const markers = read(start(1, 'nfd'), start(2, 'kai'), '└─ ✓ nfd installed');
    expect(markers.current).toBe('kai');
    expect(read(start(1, 'nfd'), '└─ ✗ nfd FAILED (after 0 attempts)').components).toEqual([
      component(1, 'nfd', 'Failed'),
    ]);
  });

  it('is read of numbers of any length, and of blanks of any width', () => {
    const markers = read('┌─ [12/34] nfd →  nfd-ns', '↺ nfd: attempt 10/12 failed');
    expect(markers.components).toEqual([{ ...component(12, 'nfd', 'Installing', 11), of: 34 }]);
    expect(read('┌─ [1/3] nfd    →nfd-ns').components).toEqual([component(1, 'nfd', 'Installing')]);
    expect(read(start(1, 'nfd'), '└─ ✗ nfd FAILED (after 12 attempts)').components).toEqual([
      component(1, 'nfd', 'Failed', 12),
    ]);
    expect(read('┌─ [1/3] nfd').components).toEqual([
      { ...component(1, 'nfd', 'Installing'), namespace: '' },
    ]);
  });

  it.each([
    'x ┌─ [1/3] kai  →  kai-ns',
    'x ↺ nfd: attempt 1/5 failed',
    'x └─ ✓ nfd installed',
    'x └─ ✗ nfd FAILED',
    'x ✓ All components installed successfully',
    'x ✗ Deployment completed with failures (--best-effort): nfd',
    'x ⚠ DRA kubelet plugin restart blocked, retry needed for: nfd',
    'x ✓ Pre-flight checks passed',
  ])('is nothing when something stands before it: %s', (line) => {
    const markers = read(start(1, 'nfd'), line);
    expect(markers.components).toEqual([component(1, 'nfd', 'Installing')]);
    expect(markers.report).toEqual({ success: false, failures: null, deferral: null, preflight: null });
  });

  it.each([
    ['\u001b[1;32ma\u001b[0m b', 'a b'],
    ['\u001b[?25la', 'a'],
    ['10%\r20%\r', '20%'],
    ['a\r\r', 'a'],
    ['a\rb\rc', 'c'],
    [' a ', 'a'],
  ])('is its plain text: %j is %j', (raw, text) => {
    expect(plain(raw)).toBe(text);
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
  it('says nothing before deploy.sh does', () => {
    const markers = new Markers();
    expect(markers.report).toEqual({ success: false, failures: null, deferral: null, preflight: null });
    expect(markers.interrupt()).toBeNull();
  });

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
    expect(read('✗ Deployment completed with failures (--best-effort):').report.failures).toEqual([]);
    expect(read('⚠ DRA kubelet plugin restart blocked, retry needed for:').report.deferral).toBe('');
  });

  it('keeps what was said before when more is said', () => {
    const { report } = read(
      '✗ Pre-flight checks failed',
      '✗ Deployment completed with failures (--best-effort): a',
      '⚠ DRA kubelet plugin restart blocked, retry needed for: b',
      '✓ All components installed successfully',
    );
    expect(report).toEqual({ success: true, failures: ['a'], deferral: 'b', preflight: 'failed' });
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
