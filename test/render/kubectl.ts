import { execa } from 'execa';
import { ensureTools, toolPath } from '../../hack/cluster/index.ts';
import type { Any } from './helm.ts';

/** kubectl against one API server. */
export interface Kubectl {
  /** Runs it. @returns what it printed; fails when kubectl does */
  (args: readonly string[], input?: string): Promise<string>;
  /** What `kubectl get … -o json` lists. */
  list(...args: readonly string[]): Promise<readonly Any[]>;
}

/** @param kubeconfig path of the file that says which server */
export const kubectlOf = async (kubeconfig: string): Promise<Kubectl> => {
  await ensureTools(['kubectl']);
  const run = async (args: readonly string[], input = ''): Promise<string> => {
    const { stdout } = await execa(toolPath('kubectl'), args, { input, env: { KUBECONFIG: kubeconfig } });
    return stdout;
  };
  const list = async (...args: readonly string[]): Promise<readonly Any[]> =>
    (JSON.parse(await run(['get', ...args, '-o', 'json'])) as { items: readonly Any[] }).items;
  return Object.assign(run, { list });
};
