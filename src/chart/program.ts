/** The program that travels in the chart, as the runner's bundling made it. */
export interface RunnerProgram {
  /** The runner as one ESM file, compressed with brotli. */
  readonly program: Uint8Array;
  /** The script of the init containers, as text. */
  readonly handover: string;
}

/** Bytes that the program's ConfigMap may have as JSON: client-side apply stops at 262,144 of annotation. */
const CONFIG_MAP_BUDGET = 250 * 1024;

/**
 * Keeps the program small enough to travel in a ConfigMap.
 * @throws Error stating both sizes when it is not
 */
export const checkProgramSize = ({ program, handover }: RunnerProgram): void => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    immutable: true,
    binaryData: { 'runner.mjs.br': base64(program), 'handover.mjs': base64(handover) },
    metadata: { name: 'x'.repeat(80), namespace: 'x'.repeat(63), labels: { other: 'x'.repeat(512) } },
  };
  const size = Buffer.byteLength(JSON.stringify(object));
  if (size > CONFIG_MAP_BUDGET) {
    throw new Error(
      `the program's ConfigMap would have ${size} bytes; at most ${CONFIG_MAP_BUDGET} can be applied`,
    );
  }
};

const base64 = (content: Uint8Array | string): string => Buffer.from(content).toString('base64');
