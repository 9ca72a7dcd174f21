import { describe, inject } from 'vitest';
import { openCluster } from '../../cluster/index.ts';
import { test } from '../scenario.ts';
import { expectSurvived } from './closing.ts';
import { HANDOVER_ACTS } from './handover.ts';
import { OUTAGE_ACTS } from './outage.ts';
import { REFUSED_ACTS } from './refused.ts';
import { type Act, Stage } from './stage.ts';
import { STOPPED_ACTS } from './stopped.ts';
import { SURROUNDINGS_ACTS } from './surroundings.ts';
import { FAULTS, type FaultName, type FaultRow } from './table.ts';

const ACTS: Readonly<Record<FaultName, Act>> = {
  ...STOPPED_ACTS,
  ...HANDOVER_ACTS,
  ...REFUSED_ACTS,
  ...SURROUNDINGS_ACTS,
  ...OUTAGE_ACTS,
};

const all = process.env['NVIDIA_AICR_FAULTS'] === 'all';
const { aicr, clusterFolder } = inject('prepared');
/** Kind's programs are inside of its container. */
const ownPrograms = openCluster(clusterFolder).kind === 'components';

const rows = (Object.entries(FAULTS) as [FaultName, FaultRow][]).filter(([, { fixed }]) => all || fixed);
const [together, alone] = [false, true].map((wanted) =>
  rows.flatMap(([name, row]) => ((row.alone ?? false) === wanted ? [name] : [])),
) as [FaultName[], FaultName[]];

const run = (name: FaultName): void =>
  test(name, async ({ scenario }) => {
    const stage = new Stage(scenario);
    try {
      const aftermath = await ACTS[name](stage);
      if (aftermath !== null) await expectSurvived(stage, aftermath);
    } finally {
      await stage.end();
    }
  });

// Commands pause, and checks end as they are told, with the stand-in only.
describe.skipIf(!aicr.standIn)('an install survives', () => {
  describe.concurrent('side by side with others', () => {
    for (const name of together) run(name);
  });
  // Vitest takes a describe without a test for a failure, and the fixed rows have none that is alone.
  if (alone.length > 0) {
    describe.skipIf(!ownPrograms)('alone on the cluster', () => {
      for (const name of alone) run(name);
    });
  }
});
