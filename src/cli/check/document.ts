import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Tags,
} from 'yaml';
import { Failure } from '../failure.ts';
import type { Finding, Steps } from './finding.ts';

/** A values file, read the way Helm reads it, that knows where everything stands. */
export interface ValuesDocument {
  readonly file: string;
  /** What was read, as it is. */
  readonly bytes: Uint8Array;
  /** Plain data; undefined when the file is not YAML. */
  readonly data: unknown;
  /** What is wrong with it as YAML. */
  readonly findings: readonly Finding[];
  /** Where the value stands, or the nearest that is there above it, from 1; undefined when there is none. */
  readonly place: (steps: Steps) => Place | undefined;
  /** Whether the value itself is in the file. */
  readonly has: (steps: Steps) => boolean;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

// Helm's YAML is 1.1 (`on` is true, 0600 is 384) without its dates, binaries and base-60 numbers.
const NOT_HELMS = ['timestamp', 'binary', 'intTime', 'floatTime', 'omap', 'pairs', 'set'];
const likeHelm = (tags: Tags): Tags =>
  tags
    .filter((tag) => {
      if (typeof tag === 'string') return !NOT_HELMS.includes(tag);
      return !NOT_HELMS.some((name) => tag.tag.endsWith(`:${name}`)) && tag.format !== 'TIME';
    })
    .map((tag) =>
      typeof tag !== 'string' && tag.collection === undefined && tag.format === 'EXP'
        ? { ...tag, ...EXPONENT }
        : tag,
    );

// What only looks like a number (`e1`), or is none that a computer has (`7e12345`), is a text for Helm: a commit's hash.
const EXPONENT = {
  test: /^[-+]?(?:[0-9][0-9_]*|(?=\.[0-9]))(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
  resolve: (text: string): string | number => {
    const number = Number(text.replaceAll('_', ''));
    return Number.isFinite(number) ? number : text;
  },
};

/** Errors of the parser whose own words are for those who call it. */
const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key stands twice; Helm takes the last and drops the others',
  MULTIPLE_DOCS: 'a second document begins here; Helm 3 drops it, Helm 4 merges it: keep one',
};

/** What editors and shells of Windows may put before UTF-16: the byte-order mark, FE FF in either order. */
const isUtf16 = ([one, two]: Uint8Array): boolean =>
  (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff);

const readBytes = async (file: string): Promise<Uint8Array> => {
  const bytes = await (file === '-' ? buffer(process.stdin) : readFile(file)).catch(
    (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'is not there' : `cannot be read: ${error.code ?? error.message}`;
      throw new Failure(`${file} ${why}`, { cause: error });
    },
  );
  if (!isUtf16(bytes)) return bytes;
  throw new Failure(`${file} is UTF-16, which Helm 4 does not read: save it as UTF-8`);
};

/**
 * Reads a values file, once: it may be a pipe.
 * @param file its path, or as with Helm `-`: standard input
 * @throws Failure when it cannot be read
 */
export const readValues = async (file: string): Promise<ValuesDocument> => {
  const bytes = await readBytes(file);
  const text = new TextDecoder().decode(bytes);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    // A key that is no text would be warned of on stderr; the schema refuses it, with its place.
    logLevel: 'error',
    customTags: likeHelm,
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const findings = document.errors.map((error): Finding => {
    return { file, ...placeAt(error.pos[0]), path: '', message: WORDS[error.code] ?? error.message };
  });
  // A key that stands twice leaves a document that can be looked at further; other errors do not.
  let data: unknown;
  if (document.errors.every((error) => error.code === 'DUPLICATE_KEY')) {
    try {
      data = document.toJS() ?? {};
    } catch (error) {
      const message = `its anchors cannot be unfolded: ${(error as Error).message}; write the values out`;
      findings.push({ file, line: 0, column: 0, path: '', message });
    }
  }
  return {
    file,
    bytes,
    data,
    findings,
    place: (steps) => {
      const offsets = walk(document, steps);
      const last = offsets.at(-1);
      return last === undefined ? undefined : placeAt(last);
    },
    has: (steps) => walk(document, steps).length === steps.length,
  };
};

/** Offsets of the keys and elements on the way to a value, as far as they are there. */
const walk = (document: Document, steps: Steps): readonly number[] => {
  const offsets: number[] = [];
  let node: unknown = document.contents;
  for (const step of steps) {
    if (isAlias(node)) node = node.resolve(document);
    let next: { at: Node; value: unknown } | undefined;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair !== undefined) next = { at: pair.key as Node, value: pair.value };
    } else if (isSeq(node) && typeof step === 'number') {
      const item = node.items[step];
      if (item !== undefined) next = { at: item as Node, value: item };
    }
    if (next === undefined) break;
    offsets.push(next.at.range?.[0] ?? 0);
    node = next.value;
  }
  return offsets;
};
