import { inWords } from '../../results/index.ts';
import { asObject, parseObject, readCheck, recount } from './ctrf.ts';

type Json = Record<string, unknown>;

const MESSAGE_CHARACTERS = 500;

/**
 * Makes a CTRF report short enough and keeps it a CTRF report: it always has `results.summary`, and says under
 * `results.extra` what was left out. First the output of checks that passed or were skipped goes, then all output,
 * then checks from the end, those that passed or were skipped before the others.
 * @param text the report
 * @param fits tells whether a candidate is short enough
 * @returns null when the text is no report, or nothing of it fits
 */
export function shortenReport(text: string, fits: (candidate: string) => boolean): string | null {
  const report = parseObject(text);
  const results = asObject(report?.['results']);
  if (results === null) return null;
  const tests = Array.isArray(results['tests']) ? results['tests'].map((test) => asObject(test) ?? {}) : [];
  const summary = asObject(results['summary']) ?? { ...recount(tests.map(readCheck)) };
  const whole = Buffer.byteLength(text);

  const compose = (kept: readonly Json[], gone: string): string => {
    const mark = `cut: the whole report has ${inWords(whole)}; left out: ${gone}`;
    const extra = { ...asObject(results['extra']), 'nvidia-aicr': mark };
    const document = { ...report, results: { ...results, summary, tests: kept, extra } };
    return `${JSON.stringify(document, null, 2)}\n`;
  };
  const quiet = (only: (test: Json) => boolean): Json[] =>
    tests.map((test) => (only(test) ? withoutOutput(test) : test));

  const lighter = compose(quiet(isGood), 'the output of checks that passed or were skipped');
  if (fits(lighter)) return lighter;
  const silent = quiet(() => true);
  const light = compose(silent, 'the output of all checks');
  if (fits(light)) return light;

  const fewest = (count: number): string => {
    const kept = mostTelling(silent, count);
    return compose(
      kept,
      `the output of all checks, and ${tests.length - kept.length} of ${tests.length} checks`,
    );
  };
  return longestThatFits(fewest, tests.length, fits);
}

/** Bisects for the largest count whose document fits; null when not even none does. */
function longestThatFits(
  compose: (count: number) => string,
  most: number,
  fits: (candidate: string) => boolean,
): string | null {
  let best: string | null = null;
  let [low, high] = [0, most];
  while (low <= high) {
    const count = Math.floor((low + high) / 2);
    const candidate = compose(count);
    if (fits(candidate)) {
      best = candidate;
      low = count + 1;
    } else {
      high = count - 1;
    }
  }
  return best;
}

/** So many tests in their order: those that are not good first, then the others. */
function mostTelling(tests: readonly Json[], count: number): Json[] {
  const ranked = [...tests.filter((test) => !isGood(test)), ...tests.filter(isGood)];
  const chosen = new Set(ranked.slice(0, count));
  return tests.filter((test) => chosen.has(test));
}

function withoutOutput(test: Json): Json {
  const { stdout: _, message, ...rest } = test;
  if (typeof message !== 'string') return rest;
  const short = message.length > MESSAGE_CHARACTERS ? `${message.slice(0, MESSAGE_CHARACTERS)} …` : message;
  return { ...rest, message: short };
}

const isGood = (test: Json): boolean => test['status'] === 'passed' || test['status'] === 'skipped';
