/** The fault matrix as data: what the suite runs, and what docs/faults.md is made of. Nothing of a test is in here. */

/** One row of the matrix. */
export interface FaultRow {
  /** What is done to the run. */
  readonly fault: string;
  /** What is asserted beside the closing assertions that every row shares. */
  readonly asserted: string;
  /** One of the fixed set that every `hack/test` runs. */
  readonly fixed?: true;
  /** Needs the cluster for itself. */
  readonly alone?: true;
}

/** Steps at which a run is stopped. */
export const STOPPED_STEPS = [
  'download',
  'pack',
  'recipe',
  'bundle',
  'verify',
  'deploy',
  'validate',
  'publish',
] as const;
export type StoppedStep = (typeof STOPPED_STEPS)[number];

/** How a run is stopped. */
export const SIGNALS = ['SIGTERM', 'SIGKILL'] as const;
export type StopSignal = (typeof SIGNALS)[number];

/** Where in a step the run is met. */
const WHERE: Readonly<Record<StoppedStep, string>> = {
  download: 'while the mirror sends nothing',
  pack: 'while the registry answers nothing',
  recipe: 'while `aicr recipe` runs',
  bundle: 'while `aicr bundle` runs',
  verify: 'while `aicr verify` runs',
  deploy: 'while helm waits for a component',
  validate: 'while `aicr validate` runs',
  publish: 'while the registry takes nothing',
};

const stoppedRow = (step: StoppedStep, signal: StopSignal): FaultRow => {
  const inHelm = step === 'deploy';
  const fixed = inHelm ? { fixed: true as const } : {};
  if (signal === 'SIGTERM') {
    const settled = inHelm ? '; helm marks its release failed' : '';
    return {
      fault: `The pod is deleted ${WHERE[step]}`,
      asserted: `Phase Interrupted, the step is named${settled}`,
      ...fixed,
    };
  }
  const healed = inHelm ? '; the next run sets the pending release to failed and upgrades it' : '';
  return {
    fault: `Every process of the pod gets SIGKILL ${WHERE[step]}`,
    asserted: `\`nvidia-aicr-chart status\` says that the run was ended from outside${healed}`,
    ...fixed,
  };
};

type StoppedName = `${StopSignal} at ${StoppedStep}`;

const STOPPED = Object.fromEntries(
  STOPPED_STEPS.flatMap((step) =>
    SIGNALS.map((signal) => [`${signal} at ${step}`, stoppedRow(step, signal)] as const),
  ),
) as Record<StoppedName, FaultRow>;

const OTHERS = {
  'pod evicted': {
    fault: 'The pod is evicted while helm waits',
    asserted: 'The same Job makes another pod, attempt 2, which finishes the install',
    fixed: true,
  },
  'upgrade with a change': {
    fault: '`helm upgrade` with a changed value while helm waits for a component',
    asserted: 'The old run stops, and the new one begins after its end and converges',
    fixed: true,
  },
  'two releases at once': {
    fault: 'A second release, in another namespace, while the first one installs',
    asserted: 'It says for whom it waits, begins after the end of the first, and both converge',
    fixed: true,
  },
  'foreign release': {
    fault: "A Helm release of a component's name that somebody else made",
    asserted: 'ForeignRelease before anything is touched; with what its hint says the rest is installed',
    fixed: true,
  },
  'rollback after a failed upgrade': {
    fault: '`helm rollback` to the older aicr after an upgrade that was stopped in deploy',
    asserted: "DowngradeRefused; the newer run's status is still there under its own key",
    fixed: true,
  },
  'quota on ConfigMaps': {
    fault: 'A ResourceQuota that leaves no room for the ConfigMaps of results',
    asserted: 'The run ends with an error that quotes the quota',
    fixed: true,
  },
  'policy against ConfigMaps': {
    fault: 'A ValidatingAdmissionPolicy that refuses the ConfigMaps of results',
    asserted: 'The run ends with an error that quotes the policy',
  },
  'ten unchanged upgrades': {
    fault: 'Ten times `helm upgrade` with the same values during a run',
    asserted: 'Job and pod stay the same, one attempt',
  },
  'Job deleted': {
    fault: '`kubectl delete job` while helm waits',
    asserted: 'Phase Interrupted; no pod is left',
  },
  'uninstall in helm': {
    fault: '`helm uninstall` of the release while helm waits for a component',
    asserted: 'No pod and no rights are left; a new install heals what the killed helm left',
  },
  'change without prune': {
    fault: 'A second Job beside the first, which nobody deletes, as with Argo CD',
    asserted: 'The first one stops itself with Superseded, exit code 85, and names the second',
  },
  'no rights': {
    fault: 'A ServiceAccount without any rights',
    asserted: 'RightsMissing in the termination message, nothing is installed',
  },
  'token replaced': {
    fault: 'The ServiceAccount token is replaced and the old one becomes invalid during deploy',
    asserted:
      'The bundled program on a real API server (`test/runner/handover.test.ts`) goes on and writes its end',
  },
  'mirror cut': {
    fault: 'The mirror cuts the archive in the middle, twice',
    asserted: 'The download is tried again within the step, and the same run converges',
  },
  'mirror down': {
    fault: 'Nothing listens where the mirror should',
    asserted: 'DownloadFailed after seven tries, naming the URL',
  },
  'pack registry down': {
    fault: "Nothing listens where the data pack's registry should",
    asserted: 'PackPullFailed after seven tries, naming the reference',
  },
  'evidence registry down': {
    fault: 'Nothing listens where the evidence is to be pushed',
    asserted: 'PublishFailed with failOnError; verdict and evidence are kept',
  },
  'disk full': {
    fault: '/tmp outgrows `job.tmpSizeLimit`',
    asserted: 'The pod is evicted, not replaced, and the limit is named',
  },
  'deploy.sh hangs': {
    fault: 'A component that never becomes ready',
    asserted: 'DeadlineExceeded before the Job is killed, naming the component',
  },
  'validate hangs': {
    fault: 'An `aicr validate` that never ends',
    asserted: 'DeadlineExceeded before the Job is killed, naming the step',
  },
  'Lease stolen': {
    fault: 'Somebody writes another holder into the Lease during deploy',
    asserted:
      'LockLost, exit code 84, naming who has it; the next run takes the Lease of a holder that is gone',
  },
  'clock jumps': {
    fault: "The machine's clock jumps, stands still, and goes wrong by years",
    asserted: 'On a made-up clock (`test/lock`): who holds the Lease keeps it, and no run takes it early',
  },
  'API server away in deploy': {
    fault: 'The API server is stopped for a minute while helm waits',
    asserted: 'The run comes to its own end and writes it',
    alone: true,
  },
  'API server away in capture': {
    fault: 'The API server is stopped for a minute while `aicr recipe` runs and its result is to be written',
    asserted: 'The same run writes the recipe when the API server is back, and converges',
    alone: true,
  },
  'kubelet away': {
    fault: 'The kubelet is stopped for a minute while helm waits',
    asserted: 'The same pod goes on and converges',
    alone: true,
  },
} as const satisfies Record<string, FaultRow>;

/** Name of a row. */
export type FaultName = StoppedName | keyof typeof OTHERS;

/** Every row by its name, in the order of the page. */
export const FAULTS: Readonly<Record<FaultName, FaultRow>> = { ...STOPPED, ...OTHERS };

/** What is asserted after every row. */
export const CLOSING = [
  'the next run converges: its Job is Complete, its phase Succeeded',
  'every Helm release of the scenario is deployed for Helm 3 and 4, so none is pending',
  'nobody holds the Lease',
  "no result that had been reached before the fault is lost, the failed run's own status included",
  'what the user is shown names the cause',
] as const;
