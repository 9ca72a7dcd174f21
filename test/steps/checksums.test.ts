import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { findChecksum } from '../../src/runner/steps/download/checksums.ts';

const NAME = 'aicr_9.9.9_linux_amd64.tar.gz';
const SUM = '0123456789abcdef'.repeat(4);
const URL = 'https://mirror.example/v9.9.9/aicr_checksums.txt';

const find = (text: string, contentType = 'text/plain'): string =>
  findChecksum({ text, contentType }, NAME, URL);

function refusal(text: string, contentType?: string): RunError {
  try {
    find(text, contentType);
  } catch (error) {
    if (error instanceof RunError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a checksums file is read', () => {
  it.each([
    ['as sha256sum writes it', `${SUM}  ${NAME}\n`],
    ['with the binary marker, CRLF and an empty line', `\r\n${SUM} *${NAME}\r\n`],
    ['with ./ before the name', `${SUM}  ./${NAME}\n`],
    ['with ./ and the marker', `${SUM} *./${NAME}\n`],
    ['with one blank', `${SUM} ${NAME}\n`],
    ['with blanks around its lines', `  ${SUM} \t ${NAME}  \n`],
    ['with a byte-order mark', `\uFEFF${SUM}  ${NAME}\n`],
    ['in capitals', `${SUM.toUpperCase()}  ${NAME}\n`],
    ['without a last line end', `${SUM}  ${NAME}`],
    [
      'among other entries, one of which has the name as a part',
      `${'f'.repeat(64)}  ${NAME}.sbom.json\n${SUM}  ${NAME}\n${'e'.repeat(64)}  aicr_9.9.9_linux_arm64.tar.gz\n`,
    ],
  ])('%s', (_, text) => {
    expect(find(text)).toBe(SUM);
  });
});

describe('a checksums file is refused', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['when it is empty', '\n \r\n', 'is empty'],
    ['when it names other files only', `${SUM}  aicr_9.9.8_linux_amd64.tar.gz\n`, `no entry for ${NAME}`],
    ['when the name is only a part of a name', `${SUM}  x${NAME}\n`, `no entry for ${NAME}`],
    ['when the name begins with a byte-order mark', `${SUM}  \uFEFF${NAME}\n`, `no entry for ${NAME}`],
    ['when the hash has 63 digits', `${SUM.slice(1)}  ${NAME}\n`, '63 characters'],
    ['when the hash is not hex', `${'g'.repeat(64)}  ${NAME}\n`, 'other characters'],
    ['when it has two entries', `${SUM}  ${NAME}\n${SUM}  ${NAME}\n`, '2 entries'],
    ['when two spellings make two entries', `${SUM}  ${NAME}\n${'f'.repeat(64)} *./${NAME}\n`, '2 entries'],
  ];

  it.each(cases)('%s', (_, text, says) => {
    const error = refusal(text);
    expect(error.message).not.toContain('web page');
    expect(error).toMatchObject({
      code: 'ChecksumsInvalid',
      hint: 'aicr_checksums.txt must be the one of this release: check aicrVersion and aicrSource.baseUrl.',
    });
    expect(error.message).toContain(says);
    expect(error.message).toContain(URL);
  });

  it('with another message for each reason', () => {
    const messages = cases.map(([, text]) => refusal(text).message.replace(/\d+/g, '#'));
    // The name that is a part of another and the name that is not there are the same reason, as are two and two.
    expect(new Set(messages).size).toBe(5);
  });

  it.each([
    ['<!DOCTYPE html><html>login</html>', 'text/plain'],
    ['\n  <html>login</html>', ''],
    ['Sign in', 'text/html; charset=utf-8'],
  ])('when it is a web page, saying so', (text, contentType) => {
    expect(refusal(text, contentType).message).toBe(
      `${URL} has no entry for ${NAME}; it looks like a web page (a login or error page, a captive portal)`,
    );
  });

  it('when the mirror serves it compressed, saying so', () => {
    expect(refusal(gzipSync(`${SUM}  ${NAME}\n`).toString('utf8')).message).toBe(
      `${URL} has no entry for ${NAME}; it is compressed: the mirror must serve it as it is`,
    );
  });

  it('when it only holds a sign of one somewhere, saying nothing of it', () => {
    expect(refusal('a < b').message).toBe(`${URL} has no entry for ${NAME}`);
  });

  it('whose hash is too long, or has something before or behind it', () => {
    for (const hash of [`${SUM}0`, `x${SUM.slice(1)}`, `${SUM.slice(1)}x`])
      expect(refusal(`${hash}  ${NAME}`).message).toContain(
        `malformed entry for ${NAME}: a sha256 is 64 hex digits, this one h`,
      );
  });
});

it('never gives out a hash that does not stand in front of the very name', () => {
  const line = fc.tuple(
    fc.stringMatching(/^[0-9a-f]{62,66}$/),
    fc.constantFrom('  ', ' *', ' '),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.map(([hash, gap, name]) => `${hash}${gap}${name}`).join('\n');
      fc.pre(!text.includes(NAME));
      expect(() => find(text)).toThrow(RunError);
    }),
  );
});
