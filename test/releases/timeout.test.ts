import { expect, test } from 'vitest';
import { helmTimeout } from '../../src/runner/steps/releases/timeout.ts';

const MINUTE = 60_000;

test.each([
  ['nothing says one', 'helm upgrade', 'echo hello', 5],
  ['install.sh says one', 'helm upgrade --timeout 12m', '--timeout 20m', 12],
  ['install.sh says several', 'helm --timeout 2m && helm --timeout 12m', '--timeout 20m', 12],
  ['install.sh says one in quotes', 'helm upgrade --timeout="1h5m30s"', '', 65.5],
  ['deploy.sh has several', '', 'helm --timeout 10m; kubectl wait --timeout=15m', 15],
  [
    'deploy.sh keeps them in variables',
    '',
    'limit=10m attempt=0\nlimit=20m attempts=1; --timeout $limit',
    20,
  ],
  ['seconds have a fraction', 'helm --timeout 1.5m', '', 1.5],
])('helm may work on a component as long as stated: %s', (_, install, deploy, minutes) => {
  expect(helmTimeout(install, deploy)).toBe(minutes * MINUTE);
});
