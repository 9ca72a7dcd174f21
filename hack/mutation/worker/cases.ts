import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RenderAnswer, RenderJob } from './renderer.ts';

/** One render that the suite asks for. */
export interface Case {
  readonly job: RenderJob;
  readonly key: string;
}

/** What tests render; the same values in two files are one case. */
export class Cases {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-mutation-'));
  readonly #known = new Map<string, Case>();

  /**
   * The case of a command line. Its values files are replaced by copies, since the suite may remove its own.
   * @param args of helm
   */
  of(helm: 3 | 4, args: readonly string[]): Case {
    const kept = args.map((arg, index) => {
      const isFile = args[index - 1] === '-f' || args[index - 1] === '--values';
      return isFile ? this.#keep(arg) : arg;
    });
    const key = JSON.stringify([helm, kept]);
    const known = this.#known.get(key) ?? { key, job: { helm, args: kept } };
    this.#known.set(key, known);
    return known;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #keep(file: string): string {
    const content = readFileSync(file);
    const copy = path.join(this.#folder, `${digest(content)}.yaml`);
    // Never written twice: the renderer may be reading it.
    if (!existsSync(copy)) writeFileSync(copy, content);
    return copy;
  }
}

/** A fingerprint of what helm said: equal ones are equal to every test. */
export const fingerprint = ({ ok, stdout, stderr }: RenderAnswer): string =>
  digest(JSON.stringify([ok, stdout.replace(/^LAST DEPLOYED: .*$/m, ''), stderr]));

const digest = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 24);
