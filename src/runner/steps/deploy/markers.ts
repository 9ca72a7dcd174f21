import type { ComponentStatus } from '../../../contract/index.ts';

/** What deploy.sh said about the whole deployment, so far. */
export interface DeployReport {
  /** `All components installed successfully` was the last word on the components. */
  readonly success: boolean;
  /** Names of the final report of failures; null when there was none. */
  readonly failures: readonly string[] | null;
  /** What the DRA kubelet-plugin restart was put off for; null when it was not. */
  readonly deferral: string | null;
  readonly preflight: 'passed' | 'failed' | null;
}

/** Every marker line has one of these; the millions of lines that a chart may print have not. */
const MARK = /[┌↺└✓✗⚠]/;
const START = /^┌─ \[(\d+)\/(\d+)\] (\S+)(?:\s+→\s*(\S*))?/;
const RETRY = /^↺ (\S+): attempt (\d+)\/\d+ failed/;
const INSTALLED = /^└─ ✓ (\S+) installed/;
const FAILED = /^└─ ✗ (\S+) FAILED(?: \(after (\d+) attempts\))?/;
const ALL_INSTALLED = /^✓ All components installed successfully/;
const FAILURES = /(?<=^✗ Deployment completed with failures \(--best-effort\):).*/;
const DEFERRAL = /(?<=^⚠ DRA kubelet plugin restart blocked, retry needed for:).*/;
const PREFLIGHT = /^[✓✗] Pre-flight checks (passed|failed)/;

/** Follows deploy.sh by its marker lines (templates of aicr's helm deployer, v0.20 to v1.2). */
export class Markers {
  readonly #components = new Map<string, ComponentStatus>();
  #current: string | null = null;
  #report: DeployReport = { success: false, failures: null, deferral: null, preflight: null };

  get report(): DeployReport {
    return this.#report;
  }

  /** Every component that was started, in order. */
  get components(): readonly ComponentStatus[] {
    return [...this.#components.values()];
  }

  /** Name of the component that is being installed; null between components. */
  get current(): string | null {
    return this.#current;
  }

  /**
   * Takes in one line of output; most change nothing.
   * @returns the component whose state the line changed, if any
   */
  read(raw: string): ComponentStatus | null {
    // Stryker disable next-line ConditionalExpression: it saves time and changes nothing
    if (!MARK.test(raw)) return null;
    const line = plain(raw);
    const started = START.exec(line);
    if (started !== null) return this.#start(started);
    const retried = RETRY.exec(line);
    if (retried !== null) return this.#update(retried[1], { attempts: Number(retried[2]) + 1 });
    const installed = INSTALLED.exec(line);
    if (installed !== null) return this.#end(installed[1], { state: 'Installed' });
    const failed = FAILED.exec(line);
    if (failed !== null) {
      const attempts = Number(failed[2] ?? 0);
      return this.#end(failed[1], attempts > 0 ? { state: 'Failed', attempts } : { state: 'Failed' });
    }
    this.#readReport(line);
    return null;
  }

  /** Marks what is still being installed as interrupted. */
  interrupt(): ComponentStatus | null {
    return this.#end(this.#current, { state: 'Interrupted' });
  }

  #start([, index, of, name, namespace]: RegExpExecArray): ComponentStatus {
    const component: ComponentStatus = {
      index: Number(index),
      of: Number(of),
      name: String(name),
      namespace: namespace ?? '',
      state: 'Installing',
      attempts: 1,
    };
    this.#components.set(component.name, component);
    this.#current = component.name;
    // A success line that comes before the last component was not deploy.sh's own.
    this.#report = { ...this.#report, success: false };
    return component;
  }

  #update(name: string | null | undefined, change: Partial<ComponentStatus>): ComponentStatus | null {
    const component = this.components.find((each) => each.name === name);
    if (component === undefined) return null;
    const changed = { ...component, ...change };
    this.#components.set(component.name, changed);
    return changed;
  }

  #end(name: string | null | undefined, change: Partial<ComponentStatus>): ComponentStatus | null {
    const changed = this.#update(name, change);
    if (changed !== null && changed.name === this.#current) this.#current = null;
    return changed;
  }

  #readReport(line: string): void {
    if (ALL_INSTALLED.test(line)) this.#report = { ...this.#report, success: true };
    const failures = FAILURES.exec(line);
    if (failures !== null) this.#report = { ...this.#report, failures: words(failures[0]) };
    const deferral = DEFERRAL.exec(line);
    if (deferral !== null) this.#report = { ...this.#report, deferral: deferral[0].trim() };
    const preflight = PREFLIGHT.exec(line);
    if (preflight !== null) {
      this.#report = { ...this.#report, preflight: preflight[1] === 'passed' ? 'passed' : 'failed' };
    }
  }
}

/** A line without colours, and without what a carriage return has overwritten. */
export function plain(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin
  const line = raw.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/\r+$/, '');
  return line.slice(line.lastIndexOf('\r') + 1).trim();
}

const words = (text: string): readonly string[] => text.match(/\S+/g) ?? [];
