import type { TestProject } from 'vitest/node';
import { type ApiServerConnection, startApiServer } from '../apiserver.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The suite's API server: `inject('apiServer')`. */
    apiServer: ApiServerConnection;
  }
}

/** One API server for a whole suite. @returns what vitest runs at the end */
export default async function setup(project: TestProject): Promise<() => void> {
  const { stop, ...connection } = await startApiServer();
  project.provide('apiServer', connection);
  return stop;
}
