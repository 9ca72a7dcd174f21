import { execa } from 'execa';

/** Which cluster and namespace are meant; what is left out, kubectl takes from its configuration. */
export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** The cluster could not be asked; the message is for the user. */
export class ClusterFailure extends Error {
  override readonly name = 'ClusterFailure';
}

/** kubectl alone would wait for minutes for an API server that does not answer. */
const REQUEST_TIMEOUT_SECONDS = 15;
/** A plugin that asks for a login on a terminal nobody sees. */
const LONGEST_CALL_MS = 60_000;

/** Longest answer, in bytes: a release's result ConfigMaps together. */
const LONGEST_ANSWER = 128 * 1024 * 1024;

/**
 * Reads through kubectl, which every user of a cluster has, and which knows their kubeconfig, contexts, proxies and
 * login plugins.
 */
export class Kubectl {
  readonly #flags: readonly string[];

  constructor({ kubeconfig, context, namespace }: ClusterChoice) {
    this.#flags = [
      ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
      ...(context === undefined ? [] : [`--context=${context}`]),
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
      `--request-timeout=${REQUEST_TIMEOUT_SECONDS}s`,
    ];
  }

  /**
   * Lists objects of the namespace.
   * @param kind as kubectl knows it: `jobs`
   * @param args selectors
   * @throws ClusterFailure
   */
  async list<T>(kind: string, ...args: readonly string[]): Promise<readonly T[]> {
    const text = await this.#run(['get', kind, ...args, '--output=json']);
    return (parse(`get ${kind}`, text) as { readonly items: readonly T[] }).items;
  }

  /** Reads one object; null when there is none. @throws ClusterFailure */
  async find<T>(kind: string, name: string): Promise<T | null> {
    const text = await this.#run(['get', kind, name, '--ignore-not-found', '--output=json']);
    return text.trim() === '' ? null : (parse(`get ${kind}`, text) as T);
  }

  async #run(args: readonly string[]): Promise<string> {
    const result = await execa('kubectl', [...args, ...this.#flags], {
      reject: false,
      stdin: 'ignore',
      timeout: LONGEST_CALL_MS,
      maxBuffer: LONGEST_ANSWER,
    });
    if (result.exitCode === 0) return result.stdout;
    if (result.code === 'ENOENT') {
      throw new ClusterFailure(
        'kubectl is not on the PATH. The status is read with it: install it (https://kubernetes.io/docs/tasks/tools/).',
      );
    }
    if (result.timedOut) {
      throw new ClusterFailure(`kubectl did not answer within ${LONGEST_CALL_MS / 1000} seconds.`);
    }
    if (result.stdout.includes('Please enter Username')) {
      throw new ClusterFailure(
        'kubectl asks for a user name: this context has no credentials; log in first, or choose another context.',
      );
    }
    const said = result.stderr.trim().split('\n').at(-1) || result.shortMessage;
    throw new ClusterFailure(`kubectl ${args.slice(0, 2).join(' ')}: ${said}`);
  }
}

/** Some put a script in kubectl's place, which has something to say of its own. */
function parse(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const began = text.trim().slice(0, 100).split('\n', 1)[0];
    throw new ClusterFailure(`kubectl ${what} answered something that is not JSON: ${began}`);
  }
}
