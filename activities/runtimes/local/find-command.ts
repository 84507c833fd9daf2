import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** The file that a command stands for, looked up as the system does; undefined when there is none that may be run. */
export function findCommand(command: string, path: string, workingDir: string): string | undefined {
  const folders = command.includes('/') ? [''] : path.split(delimiter).map((folder) => folder || '.');
  return folders.map((folder) => resolve(workingDir, join(folder, command))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
