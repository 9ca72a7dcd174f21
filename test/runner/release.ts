import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { hostArch } from '../../src/runner/ports/executable.ts';

const VERSION = 'v1.2.0';

/**
 * Writes a release whose aicr is a shell script: its bundle holds the deploy.sh that a test wants to see run.
 * @param root becomes what `aicrSource.baseUrl` serves
 * @param deploy text of deploy.sh behind its first line
 * @param aicr runs before every command of aicr
 */
export async function writeRelease(root: string, deploy: string, aicr = ''): Promise<void> {
  const script = `#!/bin/sh
${aicr}
case "$1" in
--version) echo 'aicr version 1.2.0 (stand-in)' ;;
recipe)
  while [ "$1" != --output ]; do shift; done
  cat >"$2" <<'RECIPE'
kind: RecipeResult
metadata: {version: 1.2.0, appliedOverlays: [base, acme-h200]}
componentRefs:
- {name: cert-manager, version: 1.0.0, namespace: cert-manager}
- {name: gpu-operator, version: 2.0.0, namespace: gpu-operator}
RECIPE
  ;;
bundle)
  while [ "$1" != --output ]; do shift; done
  mkdir -p "$2" && cd "$2" || exit 8
  cat >deploy.sh <<'DEPLOY'
#!/usr/bin/env bash
${deploy}
DEPLOY
  for name in cert-manager gpu-operator; do
    mkdir -p "001-$name"
    echo "helm upgrade --install $name ./ --namespace $name" >"001-$name/install.sh"
  done
  sha256sum deploy.sh >checksums.txt
  ;;
verify) ;;
*) exit 1 ;;
esac
`;
  const folder = join(root, VERSION);
  mkdirSync(folder, { recursive: true });
  const archive = gzipSync(await tarOf({ aicr: script }));
  const name = `aicr_1.2.0_linux_${hostArch()}.tar.gz`;
  writeFileSync(join(folder, name), archive);
  const digest = createHash('sha256').update(archive).digest('hex');
  writeFileSync(join(folder, 'aicr_checksums.txt'), `${digest}  ${name}\n`);
}

async function tarOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) {
    archive.entry({ name, mode: 0o755 }, text);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
