import { plain } from './markers.ts';

/** First complaints kept of each component: the first one says why, later ones are often its echo. */
const KEPT = 3;
/** Helm quotes whole objects in its errors. */
const LONGEST = 600;
/** What every complaint holds somewhere; most lines do not, and are not looked at any closer. */
const HINT = /rror|ERROR|fatal|panic/;
/** helm, kubectl and deploy.sh begin their complaints so. */
const COMPLAINT = /^(Error|ERROR|error|fatal|panic)\b/;

/** Gathers the first error lines of each component, and those before the first component. */
export class Complaints {
  readonly #byComponent = new Map<string, string[]>();

  /**
   * @param line one line of output
   * @param component the one that is being installed; empty outside
   */
  read(line: string, component: string): void {
    if (!HINT.test(line)) return;
    const whole = plain(line);
    if (!COMPLAINT.test(whole)) return;
    const text = whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
    const kept = this.#byComponent.get(component) ?? [];
    if (kept.length < KEPT && !kept.includes(text)) kept.push(text);
    this.#byComponent.set(component, kept);
  }

  /** First error lines of a component, or with an empty name those outside of any. */
  of(component: string): readonly string[] {
    return this.#byComponent.get(component) ?? [];
  }
}
