import { cleanText } from '../../results/index.ts';

/** What became of one check. Anything but passed, failed and skipped is inconclusive: no proof of anything. */
export type CheckStatus = 'passed' | 'failed' | 'skipped' | 'other';

export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  /** Phase it belongs to; empty when the report does not say. */
  readonly suite: string;
  /** First lines of what it said, without blank ones. */
  readonly lines: readonly string[];
}

export interface Counts {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Inconclusive. */
  readonly other: number;
}

/** A CTRF report (https://ctrf.io), as far as a verdict needs it. */
export interface Report {
  readonly counts: Counts;
  readonly checks: readonly Check[];
  /** What is odd about the report, as sentences; usually nothing. */
  readonly oddities: readonly string[];
}

/** A report that tells nothing, and why. */
export interface Unreadable {
  readonly unreadable: string;
}

/** What `results.summary` counts; one that is not there is none. */
const COUNTED = ['tests', 'passed', 'failed', 'skipped', 'pending', 'other'] as const;

const LINES_PER_CHECK = 5;
const LINE_CHARACTERS = 300;

/**
 * Reads a CTRF report, whatever its state: odd bytes, missing fields, a summary that does not add up.
 * @param content the file's bytes
 */
export function readReport(content: Uint8Array): Report | Unreadable {
  if (content.length === 0) return { unreadable: 'the report is empty' };
  const document = parseObject(cleanText(content).text);
  if (document === null) return { unreadable: 'the report is not a JSON object' };
  const results = asObject(document['results']) ?? document;
  const summary = asObject(results['summary']);
  const tests = Array.isArray(results['tests']) ? results['tests'] : null;
  if (summary === null && tests === null) {
    return { unreadable: 'the report has neither results.summary nor results.tests' };
  }
  const checks = (tests ?? []).map(readCheck);
  const counted = recount(checks);
  if (summary === null) return { counts: counted, checks, oddities: ['the report has no results.summary'] };
  const odd = COUNTED.find((key) => !isCount(summary[key] ?? 0));
  if (odd !== undefined) return { unreadable: `the report's results.summary.${odd} is not a count` };
  const stated = statedCounts(summary);
  if (tests === null) return { counts: stated, checks, oddities: ['the report has no results.tests'] };
  return { ...settle(stated, counted), checks };
}

/**
 * Parses a JSON document whose root is an object; null when it is none.
 * @param text may begin with a byte order mark
 */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return null;
  }
}

/** Counts checks by what became of them. */
export function recount(checks: readonly Check[]): Counts {
  const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
  return {
    tests: checks.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    other: count('other'),
  };
}

/** Reads one entry of `results.tests`. */
export function readCheck(entry: unknown, index: number): Check {
  const test = asObject(entry) ?? {};
  const status = asText(test['status']).toLowerCase();
  const suite = test['suite'];
  const stdout = Array.isArray(test['stdout']) ? test['stdout'] : [test['stdout']];
  return {
    name: oneLine(asText(test['name'])) || `check ${index + 1} (unnamed)`,
    status: status === 'passed' || status === 'failed' || status === 'skipped' ? status : 'other',
    suite: oneLine(Array.isArray(suite) ? suite.map(asText).join(' / ') : asText(suite)),
    lines: firstLines([asText(test['message']), ...stdout.map(asText)]),
  };
}

function statedCounts(summary: Record<string, unknown>): Counts {
  const count = (key: (typeof COUNTED)[number]): number => Number(summary[key] ?? 0);
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const other = count('other') + count('pending');
  const sum = passed + failed + skipped + other;
  return { tests: Math.max(count('tests'), sum), passed, failed, skipped, other };
}

/** Where summary and checks disagree, the checks count, and the worse of both for what is not good. */
function settle(stated: Counts, counted: Counts): { counts: Counts; oddities: string[] } {
  const keys = ['passed', 'failed', 'skipped', 'other'] as const;
  if (keys.every((key) => stated[key] === counted[key])) return { counts: counted, oddities: [] };
  const [failed, other] = [Math.max(stated.failed, counted.failed), Math.max(stated.other, counted.other)];
  const tests = Math.max(stated.tests, counted.tests);
  const words = (counts: Counts): string => keys.map((key) => `${counts[key]} ${key}`).join(', ');
  return {
    counts: { ...counted, failed, other, tests },
    oddities: [`the report's summary (${words(stated)}) and its checks (${words(counted)}) disagree`],
  };
}

function firstLines(texts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    // A check's output may be megabytes: only its beginning is looked at.
    for (const line of text.slice(0, 64 * 1024).split('\n')) {
      const clean = oneLine(line);
      if (clean === '' || lines.includes(clean)) continue;
      lines.push(clean);
      if (lines.length === LINES_PER_CHECK) return lines;
    }
  }
  return lines;
}

/** One line of text without colours, blanks at the ends, and too much length. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replace(/\s+/g, ' ');
  const clean = cleanText(plain).text.trim();
  return clean.length > LINE_CHARACTERS ? `${clean.slice(0, LINE_CHARACTERS)} …` : clean;
}

/** A JSON object as it is; null for any other value. */
export const asObject = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
