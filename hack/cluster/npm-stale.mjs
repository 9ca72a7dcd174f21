// Exits 0 when node_modules is missing something of package-lock.json or holds another version, else 1. Plain
// JavaScript without imports from npm, because it runs before there are any. Content and not times: git sets those.
import { existsSync, readFileSync } from 'node:fs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
const installedList = 'node_modules/.package-lock.json';

function isStale() {
  if (!existsSync(installedList)) return true;
  const installed = read(installedList);
  const wanted = Object.entries(read('package-lock.json')).filter(([path]) => path !== '');
  // Packages for other platforms are optional and not installed here.
  return wanted.some(([path, { version, optional }]) =>
    installed[path] ? installed[path].version !== version : !optional,
  );
}

process.exit(isStale() ? 0 : 1);
