import { setTimeout as sleep } from 'node:timers/promises';
import type { RunStatus } from '../../contract/index.ts';
import { findInstance, readFacts } from './find.ts';
import { follow } from './follow.ts';
import { judge, type Seen } from './judge.ts';
import { type ClusterChoice, Kubectl } from './kubectl.ts';
import { show } from './show.ts';

export { ClusterFailure } from './kubectl.ts';

export interface StatusOptions extends ClusterChoice {
  /** Name of a release, or of one of several instances in it. Undefined: the only one of the namespace. */
  readonly release?: string;
  /** Goes on until the run has ended. */
  readonly follow: boolean;
  readonly output: 'text' | 'json';
  /** Takes what was asked for. */
  readonly say: (line: string) => void;
  /** Takes what is said beside it. */
  readonly note: (line: string) => void;
}

/**
 * Says how a release's newest run stands.
 * @returns 0 succeeded, 1 failed or interrupted, 2 running or waiting
 * @throws Failure when there is no such release, or several
 * @throws ClusterFailure when the cluster cannot be asked
 */
export async function printStatus(options: StatusOptions): Promise<0 | 1 | 2> {
  const { say, note, output } = options;
  const kubectl = new Kubectl(options);
  const instance = await findInstance(kubectl, options.release);
  let before: RunStatus | null = null;
  let hasPod = false;
  const read = async (): Promise<Seen> => {
    const facts = await readFacts(kubectl, instance);
    before = facts.before;
    hasPod = facts.pods.length > 0;
    return judge(facts);
  };
  const following = {
    read,
    // The document is to be read by programs, also when it comes last.
    say: output === 'json' ? note : say,
    sleep: (milliseconds: number) => sleep(milliseconds),
    now: () => performance.now(),
  };
  const { status, exit } = await (options.follow ? follow(following) : read());
  if (output === 'json') {
    say(JSON.stringify(status, null, 2));
    if (status.phase === 'SucceededWithFailures')
      note(`WARNING: not everything succeeded: ${status.message}`);
    return exit;
  }
  if (options.follow) say('');
  for (const line of show(status, before, hasPod)) say(line);
  return exit;
}
