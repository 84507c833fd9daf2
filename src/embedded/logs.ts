import { copyFileSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 20 * 1024 * 1024;
const LOOK_EVERY_MS = 60_000;

/** The log files of one home: each about 20 MB at most, with what came before in `<name>.log.1`. Writers must append. */
export class Logs {
  readonly folder: string;
  private readonly paths = new Set<string>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    home: string,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.folder = join(home, 'logs');
    mkdirSync(this.folder, { recursive: true });
    this.timer = setInterval(() => this.trim(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  /** Path of the log of that name, which is kept short from now on. */
  path(name: string): string {
    const path = join(this.folder, `${name}.log`);
    this.paths.add(path);
    this.trim();
    return path;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** A writer that appends goes on at the new end after a cut; a rename would leave it writing to the old file. */
  private trim(): void {
    for (const path of this.paths) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size <= this.maxBytes) continue;
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
    }
  }
}
