import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What dist/ is made from. Plain node and no dependency: bin/colony.mjs asks this before every command. */
const FOLDERS = ['src', 'workflows', 'activities', 'definitions'];
const FILES = ['package-lock.json', 'scripts/build.mjs', 'scripts/evaluated.mjs', 'scripts/fingerprint.mjs'];

/** One line per source file with its time and size: equal to the last build's exactly if nothing was touched. */
export function fingerprint(root) {
  const lines = [];
  for (const folder of FOLDERS) walk(join(root, folder), (path) => isSource(path) && lines.push(line(path)));
  for (const file of FILES) lines.push(line(join(root, file)));
  return lines.join('\n');
}

/** Every file under a folder, in a stable order; a missing folder is empty. */
export function walk(folder, visit) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path, visit);
    else visit(path);
  }
}

/** Tests are no part of any bundle. */
export const isSource = (path) => path.endsWith('.ts') && !path.endsWith('.test.ts');

function line(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${path} ${stat.mtimeMs} ${stat.size}` : `${path} absent`;
}
