import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ChartFolders } from './folders.ts';
import type { RenderAnswer, RenderJob } from './renderer.ts';

/** One render that the suite asks for. */
export interface Case {
  readonly job: RenderJob;
  /** The command line with files by their content: the same in every process and every run. */
  readonly key: string;
  /** The same for both helms, of which the suite asks one as for an upgrade. */
  readonly twins: string;
  /** Values and arguments as text. */
  readonly text: string;
  /**
   * Whether both helms make the same of it. They make different things of null, above all in sub-charts; and a chart
   * may ask whether it is an upgrade.
   */
  readonly alike: boolean;
}

/** What tests render; the same values in two files are one case. */
export class Cases {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-mutation-'));
  readonly #known = new Map<string, Case>();
  readonly #folders: ChartFolders;
  readonly #asking = new Map<string, boolean>();

  constructor(folders: ChartFolders) {
    this.#folders = folders;
  }

  /**
   * The case of a command line. Its values files are replaced by copies, since the suite may remove its own.
   * @param args of helm
   */
  of(helm: 3 | 4, args: readonly string[]): Case {
    const parts = args.map((arg, index) => {
      if (args[index - 1] === '-f' || args[index - 1] === '--values') return this.#keep(arg);
      const chart = arg.startsWith('-') ? undefined : this.#folders.digest(arg);
      return chart === undefined ? { arg, name: arg, text: arg } : { arg, name: `chart ${chart}`, text: '' };
    });
    const names = parts.map(({ name }) => name);
    const twins = JSON.stringify(names.filter((name) => name !== '--is-upgrade'));
    const key = keyOf(helm, JSON.stringify(names));
    const known = this.#known.get(key) ?? {
      key,
      twins,
      text: parts.map(({ text }) => text).join(' '),
      alike: !parts.some(
        ({ arg, text }) =>
          /null/.test(text) || existsSync(path.join(arg, 'charts')) || this.#asksForUpgrade(arg),
      ),
      job: { helm, args: parts.map(({ arg }) => arg) },
    };
    this.#known.set(key, known);
    return known;
  }

  /** Whether a case of Helm 4, an install, speaks for this one of Helm 3. */
  isSpokenFor({ job, alike, twins }: Case): boolean {
    return job.helm === 3 && alike && this.#known.has(keyOf(4, twins));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether a chart's templates may make something else at an upgrade; false for anything but a chart's folder. */
  #asksForUpgrade(chart: string): boolean {
    const folder = path.join(chart, 'templates');
    const asks =
      this.#asking.get(chart) ??
      (existsSync(folder) &&
        readdirSync(folder, { withFileTypes: true }).some(
          (file) =>
            file.isFile() &&
            /\.Is(Upgrade|Install)\b/.test(readFileSync(path.join(folder, file.name), 'utf8')),
        ));
    this.#asking.set(chart, asks);
    return asks;
  }

  #keep(file: string): { arg: string; name: string; text: string } {
    const content = readFileSync(file);
    const name = `values ${digest(content)}`;
    const copy = path.join(this.#folder, `${digest(content)}.yaml`);
    // Never written twice: the renderer may be reading it.
    if (!existsSync(copy)) writeFileSync(copy, content);
    return { arg: copy, name, text: content.toString() };
  }
}

const keyOf = (helm: 3 | 4, twins: string): string => `helm ${helm} ${twins}`;

/** A fingerprint of what helm said: equal ones are equal to every test. */
export const fingerprint = ({ ok, stdout, stderr }: RenderAnswer): string =>
  digest(JSON.stringify([ok, stdout.replace(/^LAST DEPLOYED: .*$/m, ''), withoutPlaces(stderr)]));

/** An error without line and column: a fault moves what stands behind it, which is no difference. */
export const withoutPlaces = (error: string): string =>
  error.replaceAll(/(\.[a-z]+):[0-9]+(:[0-9]+)?/g, '$1');

const digest = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 24);
