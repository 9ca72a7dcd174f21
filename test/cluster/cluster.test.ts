import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, dockerConfig, Mirror, openCluster, startCluster } from '../../hack/cluster/index.ts';
import { findTraces } from './traces.ts';

describe('the throwaway cluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
  });

  afterAll(async () => {
    await cluster?.stop();
  });

  /** Runs a locked-down pod to its end, as the chart's own are. @returns its output */
  async function runPod(name: string, image: string, command: string[]): Promise<string> {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65532,
          runAsGroup: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'main',
            image,
            command,
            env: [{ name: 'HOME', value: '/tmp' }],
            volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    };
    await cluster.run(['kubectl', 'apply', '--filename', '-'], { input: JSON.stringify(pod) });
    const done = 'jsonpath={.status.containerStatuses[0].state.terminated}';
    await cluster.run(['kubectl', 'wait', `--for=${done}`, `pod/${name}`, '--timeout=150s']);
    return (await cluster.run(['kubectl', 'logs', name])).stdout;
  }

  it('refuses privileged pods where Pod Security is asked for', async () => {
    // With its label from the beginning: what is labelled later is looked at as it was for a moment.
    const metadata = { name: 'locked', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
    const namespace = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata });
    await cluster.run(['kubectl', 'create', '--filename', '-'], { input: namespace });
    const argv = ['kubectl', 'run', 'bare', '-n', 'locked', `--image=${cluster.images.runtime}`];
    const refused = await cluster.run(argv, { reject: false });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('violates PodSecurity');
  });

  it('runs node, cp and sh of its node image as any user', async () => {
    const script =
      'cp "$(command -v node)" /tmp/node && node -e "console.log(process.getuid(), process.version)"';
    expect(await runPod('node', cluster.images.node, ['sh', '-c', script])).toBe(`65532 ${process.version}`);
  });

  it('runs oras without a shell around it', async () => {
    expect(await runPod('oras', cluster.images.oras, ['oras', 'version'])).toContain('1.3.6');
  });

  it.each([
    ['runtime', 'v4'],
    ['runtimeHelm3', 'v3'],
  ] as const)('has bash, curl, jq, kubectl and helm in %s, and no glibc', async (image, major) => {
    const script = [
      'helm version --short',
      'kubectl get --raw /version >/dev/null || echo api',
      'echo "{}" | jq -c .',
      'ls /lib /lib64 /usr/lib 2>/dev/null | grep libc',
      'timeout 5 curl --silent --show-error http://192.0.2.1 2>&1 || echo refused',
    ].join('\n');
    const output = await runPod(image.toLowerCase(), cluster.images[image], ['bash', '-c', script]);
    const [helm = '', ...rest] = output.split('\n');
    expect(helm.startsWith(major)).toBe(true);
    expect(rest.slice(0, 1)).toEqual(['{}']);
    expect(rest.at(-1)).toBe('refused');
    expect(output).not.toContain('libc');
  });

  it('lets pods reach what a test binds to its address, and its own mirror', async () => {
    const content = join(cluster.mirrorRoot, 'greeting');
    writeFileSync(content, 'hello');
    const mirror = await Mirror.start(cluster.mirrorRoot, cluster.address);
    try {
      mirror.fail('/greeting', { status: 503, body: 'busy' });
      const urls = [`${mirror.url}/greeting`, `${mirror.url}/greeting`, `${cluster.mirrorUrl}/greeting`];
      const script = urls.map((url) => `curl --silent ${url}; echo`).join('\n');
      const output = await runPod('reach', cluster.images.runtime, ['bash', '-c', script]);
      expect(output.split('\n')).toEqual(['busy', 'hello', 'hello']);
      expect(mirror.requests.map(({ status }) => status)).toEqual([503, 200]);
    } finally {
      await mirror.stop();
    }
  });

  it('has one registry that asks who is there and one that does not', async () => {
    writeFileSync(join(cluster.folder, 'right.json'), dockerConfig(cluster.registry));
    writeFileSync(join(cluster.folder, 'wrong.json'), dockerConfig(cluster.registry, 'guess'));
    const push = async (host: string, ...args: string[]) => {
      const argv = ['oras', 'push', '--plain-http', ...args, `${host}/some/thing:1`, 'cluster.json'];
      return await cluster.run(argv, { cwd: cluster.folder, reject: false });
    };
    expect((await push(cluster.openRegistry.host)).exitCode).toBe(0);
    expect((await push(cluster.registry.host, '--registry-config', 'right.json')).exitCode).toBe(0);
    const refused = await push(cluster.registry.host, '--registry-config', 'wrong.json');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toMatch(/401: unauthorized/i);
  });

  it('starts registries with a certificate that nobody trusts by itself', async () => {
    const registry = await cluster.startRegistry({ name: 'tls', login: false, tls: true });
    const push = ['oras', 'push', `${registry.host}/some/thing:1`, 'cluster.json'];
    const refused = await cluster.run(push, { cwd: cluster.folder, reject: false });
    expect(refused.stderr).toContain('certificate');
    const trusted = [...push, '--ca-file', registry.caFile ?? ''];
    expect((await cluster.run(trusted, { cwd: cluster.folder })).exitCode).toBe(0);
  });

  it('can be opened from its folder and leaves nothing behind once it is stopped', async () => {
    const opened = openCluster(cluster.folder);
    expect((await opened.run(['kubectl', 'get', 'nodes', '--output', 'name'])).stdout).toBe('node/node');
    // A pod that still runs, and a command that still runs inside.
    const argv = ['kubectl', 'run', 'sleeper', `--image=${cluster.images.runtime}`, '--', 'sleep', '600'];
    await opened.run(argv);
    await opened.run(['kubectl', 'wait', '--for=condition=Ready', 'pod/sleeper', '--timeout=150s']);
    const watching = opened.startInside(['kubectl', 'get', 'pods', '--watch'], { reject: false });
    await opened.stop();
    await watching;
    expect(findTraces(cluster.folder)).toEqual([]);
  });
});
