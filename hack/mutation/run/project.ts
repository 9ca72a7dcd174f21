import type { SourceFile } from '../catalogue/index.ts';
import type { VitestSetup } from '../worker/setup.ts';

/** A chart with the suite that shall notice its faults. */
export interface Project {
  /** Names its cache. */
  readonly name: string;
  /** Root of the checkout, absolute. */
  readonly root: string;
  /** The chart's text files. */
  readonly chart: () => Promise<readonly SourceFile[]>;
  readonly suite: () => Promise<VitestSetup>;
  /** Files and folders below the root on which the suite's judgement depends, besides the chart. */
  readonly sources: readonly string[];
  /** The list of mutants that change nothing, below the root. */
  readonly equivalents: string;
  /** Folder of the reports, below the root. */
  readonly out: string;
  /** Where a person changes a file of the chart. */
  readonly origin: (file: string) => string;
}
