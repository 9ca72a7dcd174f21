import { expect, test } from 'vitest';
import {
  EXIT_CODES,
  isFinal,
  jobFamily,
  type ReasonCode,
  RunError,
  runFieldManager,
  runStatusKey,
} from '../../src/contract/index.ts';

test('every reason code has an exit code of its own that a container can have', () => {
  const codes = Object.values(EXIT_CODES);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(code > 0 && code < 128 && Number.isInteger(code)).toBe(true);
});

test('an error carries what it was given, and nothing where it was given nothing', () => {
  const cause = new Error('because');
  const tail = ['last words'];
  const full = new RunError('DiskFull', 'no room', { hint: 'make room', cause, transient: true, tail });
  expect(full).toMatchObject({
    message: 'no room',
    code: 'DiskFull',
    hint: 'make room',
    transient: true,
    tail,
  });
  expect(full.cause).toBe(cause);
  expect(full.name).toBe('RunError');
  expect(full).toBeInstanceOf(Error);
  const bare = new RunError('Internal', 'x', { hint: '' });
  expect(bare).toMatchObject({ transient: false, tail: [], hint: '' });
  expect(Object.hasOwn(bare, 'cause')).toBe(false);
});

test.each(Object.keys(EXIT_CODES) as ReasonCode[])(
  'an error %s ends the container with its exit code',
  (code) => {
    expect(new RunError(code, '', { hint: '' }).exitCode).toBe(EXIT_CODES[code]);
  },
);

test('a run is over in four phases and in no other', () => {
  const over = ['Succeeded', 'SucceededWithFailures', 'Failed', 'Interrupted'] as const;
  for (const phase of over) expect([phase, isFinal(phase)]).toEqual([phase, true]);
  const going = ['Pending', 'WaitingForSecret', 'WaitingForLock', 'Running'] as const;
  for (const phase of going) expect([phase, isFinal(phase)]).toEqual([phase, false]);
});

test('a run has a key and a field manager of its own', () => {
  expect(runStatusKey('gpu-install-1')).toBe('gpu-install-1.json');
  expect(runFieldManager('gpu-install-1')).toBe('nvidia-aicr.gpu-install-1');
});

test('the runs of one release are of one family, and those of another instance of the chart of another one', () => {
  expect(jobFamily('gpu-install-0123456789')).toBe('gpu-install');
  expect(jobFamily('gpu-install-abcdef0123')).toBe(jobFamily('gpu-install-0123456789'));
  expect(jobFamily('my-gpu-install-0123456789')).toBe('my-gpu-install');
});
