import type { RunStatus } from '../../../contract/index.ts';
import { cutBytes } from '../../ports/index.ts';
import type { Change } from './report.ts';

/** Verdicts that upgradeCheck.failOn knows; a word of a later aicr counts as `unknown`. */
const KNOWN = ['blocked', 'manual', 'unknown', 'unversioned'];

/** Components that a sentence names. */
const MOST_NAMED = 5;

/** What of an explanation a sentence has, in bytes. */
const LONGEST_EXPLANATION = 300;

/** What the whole report comes to. */
export interface UpgradeVerdict {
  readonly outcome: 'Passed' | 'NeedsAttention' | 'Blocked';
  /** One sentence. */
  readonly message: string;
  /** What keeps the run from going on. */
  readonly stopping: readonly Change[];
  /** What needs somebody's attention, those that stop the run first. */
  readonly attention: readonly Change[];
  /** The other changes. */
  readonly rest: readonly Change[];
}

/**
 * Decides by the verdicts alone; aicr's own count of failing components also takes in what failOn lets pass.
 * @param failOn verdicts that stop the run
 */
export function judge(changes: readonly Change[], failOn: readonly string[]): UpgradeVerdict {
  const needs = ({ verdict }: Change): boolean => verdict !== '' && verdict !== 'safe';
  const stops = (change: Change): boolean =>
    needs(change) && failOn.includes(KNOWN.includes(change.verdict) ? change.verdict : 'unknown');
  const stopping = changes.filter(stops);
  const attention = [...stopping, ...changes.filter((change) => needs(change) && !stops(change))];
  const rest = changes.filter((change) => !needs(change));
  const outcome = stopping.length > 0 ? 'Blocked' : attention.length > 0 ? 'NeedsAttention' : 'Passed';
  const counted = changes.length === 1 ? '1 component changes' : `${changes.length} components change`;
  const message =
    changes.length === 0
      ? 'no component changes'
      : attention.length === 0
        ? `${counted}, and nothing needs attention`
        : `${counted}, and ${attention.length} of them ${attention.length === 1 ? 'needs' : 'need'} attention: ${listed(attention, headline)}`;
  return { outcome, message, stopping, attention, rest };
}

/** `gpu-operator 26.3.3 -> 26.7.2 is blocked`; `is new` and the like where there is no verdict. */
export function headline({ component, change, from, to, verdict }: Change): string {
  if (verdict !== '') return `${component} ${from || 'none'} -> ${to || 'none'} is ${verdict}`;
  const what: Readonly<Record<string, string>> = {
    added: `${component} ${to} is new`,
    removed: `${component} ${from} is not in the recipe and stays as it is`,
  };
  return what[change] ?? `${component} ${from || 'none'} -> ${to || 'none'} (${change})`;
}

/** Why the run stops, and how it can be made to go on: `gpu-operator 26.3.3 -> 26.7.2 is blocked (undefined-origin): …`. */
export function whyStopped({ stopping }: UpgradeVerdict): string {
  const why = listed(stopping, (change) => {
    const reason = change.reason === '' ? '' : ` (${change.reason})`;
    const said = change.explanation === '' ? '' : `: ${cutBytes(change.explanation, LONGEST_EXPLANATION)}`;
    return `${headline(change)}${reason}${said}`;
  });
  return `aicr upgrade-check: ${why}. Nothing was touched. To go on all the same, set upgradeCheck.failOn to [] (--set-json upgradeCheck.failOn=[])`;
}

function listed(changes: readonly Change[], inWords: (change: Change) => string): string {
  const more = changes.length - MOST_NAMED;
  const shown = changes.slice(0, MOST_NAMED).map(inWords).join('; ');
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

/** Bounds of the status document, which holds six copies of this at most. */
const MOST_COMPONENTS = 30;
const MOST_STEPS = 10;
const LONGEST_STEP = 300;
const LONGEST_TEXT = 512;

/** The verdict as it stands in the status document. */
export function statusOf(verdict: UpgradeVerdict): RunStatus['upgradeCheck'] {
  const cut = (text: string): string => cutBytes(text, LONGEST_TEXT);
  const changes = [...verdict.attention, ...verdict.rest].slice(0, MOST_COMPONENTS);
  return {
    outcome: verdict.outcome,
    message: verdict.message,
    components: changes.map((change) => ({
      component: cut(change.component),
      change: cut(change.change),
      from: cut(change.from),
      to: cut(change.to),
      verdict: cut(change.verdict),
      reason: cut(change.reason),
      explanation: cut(change.explanation),
      precondition: cut(change.precondition),
      steps: change.steps.slice(0, MOST_STEPS).map((step) => cutBytes(step, LONGEST_STEP)),
    })),
  };
}
