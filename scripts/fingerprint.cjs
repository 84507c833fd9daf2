// What dist/ is made from. Plain node and no dependency: bin/colony.cjs asks this before every command.
'use strict';
const { readdirSync, statSync } = require('node:fs');
const { join, relative } = require('node:path');

const FOLDERS = ['src', 'workflows', 'activities', 'definitions'];
const FILES = ['package-lock.json', 'scripts/build.mjs', 'scripts/evaluated.mjs', 'scripts/fingerprint.cjs'];

/** One line for each source file with its time and size, and for each folder with its time. */
function fingerprint(root) {
  const lines = [];
  const note = (path) => lines.push(`${path} ${stateOf(`${root}/${path}`)}`);
  const visit = (path) => isSource(path) && note(relative(root, path));
  const visitFolder = (path) => note(`${relative(root, path)}/`);
  for (const folder of FOLDERS) {
    note(`${folder}/`);
    walk(join(root, folder), visit, visitFolder);
  }
  for (const file of FILES) note(file);
  return lines.join('\n');
}

/**
 * Whether the sources are still those of a fingerprint. Most often a look at each file that it names is enough, because a folder's
 * time tells whether files have come or gone.
 */
function isFreshStamp(root, stamp) {
  if (stamp.split('\n').every((line) => isAsNoted(root, line))) return true;
  return sourcesOf(stamp) === sourcesOf(fingerprint(root));
}

/** Without the folders, whose times also change for files that are no sources. */
const sourcesOf = (stamp) =>
  stamp
    .split('\n')
    .filter((line) => !line.includes('/ '))
    .join('\n');

function isAsNoted(root, line) {
  const end = line.indexOf(' ');
  return stateOf(`${root}/${line.slice(0, end)}`) === line.slice(end + 1);
}

function stateOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 'absent';
  return path.endsWith('/') ? `${stat.mtimeMs}` : `${stat.mtimeMs} ${stat.size}`;
}

/** Every file and every folder under a folder, in a stable order; a missing folder is empty. */
function walk(folder, visit, visitFolder = () => {}) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) visit(path);
    else {
      visitFolder(path);
      walk(path, visit, visitFolder);
    }
  }
}

/** Tests are no part of any bundle. */
const isSource = (path) => path.endsWith('.ts') && !path.endsWith('.test.ts');

module.exports = { fingerprint, isFreshStamp, isSource, walk };
