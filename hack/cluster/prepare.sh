# Sourced by the scripts for people: goes to the project's root and makes sure of Node and of the npm packages.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "Node.js 20.19 or newer with npm is needed and was not found: https://nodejs.org/en/download" >&2
  exit 1
fi
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)'; then
  echo "Node.js 20.19 or newer is needed; this is $(node --version): https://nodejs.org/en/download" >&2
  exit 1
fi

if node hack/cluster/npm-stale.mjs; then
  echo "installing the npm packages" >&2
  npm ci --no-audit --no-fund >&2 || exit 1
fi
