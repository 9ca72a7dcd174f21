import { expect, test } from 'vitest';
import { findForeign, foreignError } from '../../src/runner/steps/releases/foreign.ts';
import { entry, FIRST, ledger, missing, there } from './release.ts';

const where = (name: string): string =>
  `${name} in namespace ${name}-ns (deployed, since 2026-11-30T10:00:05.000Z)`;

test('what is in the cluster and on no list is somebody else’s; what is new is nobody’s', () => {
  const found = [there('alpha'), there('beta-pre', 'beta'), missing('gamma')];
  const { installed } = there('beta-pre');
  expect(findForeign(found, ledger({ alpha: entry(FIRST) }))).toEqual([{ component: 'beta', installed }]);
  const made = { alpha: entry(FIRST), 'beta-pre': entry(FIRST) };
  expect(findForeign(found, ledger(made))).toEqual([]);
});

test.each([
  [
    'one release',
    [there('alpha')],
    `a Helm release that no run of this chart made would be taken over: ${where('alpha')}`,
    'Leave it alone by adding to bundleArgs: ["--set","alpha:enabled=false"].',
  ],
  [
    'two releases of one component',
    [there('alpha-pre', 'alpha'), there('alpha')],
    `Helm releases that no run of this chart made would be taken over: ${where('alpha-pre')}; ${where('alpha')}`,
    'Leave it alone by adding to bundleArgs: ["--set","alpha:enabled=false"].',
  ],
  [
    'two components',
    [there('alpha'), there('beta')],
    `Helm releases that no run of this chart made would be taken over: ${where('alpha')}; ${where('beta')}`,
    'Leave them alone by adding to bundleArgs: ["--set","alpha:enabled=false","--set","beta:enabled=false"].',
  ],
])('the refusal to take over %s names it, and what leaves it alone', (_, found, message, leave) => {
  expect(foreignError(findForeign(found, ledger({})))).toMatchObject({
    code: 'ForeignRelease',
    message,
    hint: `${leave} Or let the installer take over, once: deploy.existingReleases: adopt.`,
  });
});
