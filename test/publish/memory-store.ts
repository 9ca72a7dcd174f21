import type { ConfigMapContent } from '../../src/runner/ports/index.ts';
import type { ResultStore } from '../../src/runner/results/index.ts';

/** ConfigMaps in memory, with one writer, where a test is not about the API server. */
export class MemoryStore implements ResultStore {
  readonly configMaps = new Map<string, ConfigMapContent>();

  async applyConfigMap(content: ConfigMapContent): Promise<void> {
    this.configMaps.set(content.name, content);
  }

  async readConfigMap(name: string) {
    const found = this.configMaps.get(name);
    if (found === undefined) return null;
    return { labels: {}, data: found.data ?? {}, binaryKeys: Object.keys(found.binaryData ?? {}) };
  }

  async deleteConfigMap(name: string): Promise<void> {
    this.configMaps.delete(name);
  }

  /** Names of the keys of a ConfigMap, text and binary. */
  keys(name: string): string[] {
    const { data = {}, binaryData = {} } = this.configMaps.get(name) ?? {};
    return [...Object.keys(data), ...Object.keys(binaryData)].sort();
  }
}
