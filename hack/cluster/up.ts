import { startCluster } from './index.ts';

try {
  const cluster = await startCluster();
  cluster.keep();
  process.stdout.write(
    [
      `cluster   ${cluster.folder}`,
      `registry  ${cluster.registry.host} (plain HTTP; ${cluster.registry.login.user} / ${cluster.registry.login.password})`,
      `mirror    ${cluster.mirrorUrl} serves ${cluster.mirrorRoot}`,
      `images    ${Object.values(cluster.images).join(' ')}`,
      `use it    export KUBECONFIG=${cluster.kubeconfig} PATH=${cluster.folder}/bin:$PATH`,
      `stop it   hack/cluster/down ${cluster.folder}`,
      '',
    ].join('\n'),
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
