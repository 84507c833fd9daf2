import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs one command and notes how it ended, with nobody watching.
 *
 * Only builtins: it works with any PATH, on a full process table, and no tool can be missing. Whoever creates the claim runs the
 * command, whoever finds one goes away (`set -C` creates exclusively). The traps keep the shim alive when its group is
 * signalled; they are handlers, as ignored signals would be inherited. The command runs in the foreground: a handler waits
 * until it ended, so `$?` is always its own. `exec` in a subshell keeps the shell's remarks ("Killed") out of its log.
 */
const SHIM = `
run=$1 log=$2
shift 2
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
startedField() { shift 19; started=$1; }
if [ -r /proc/$$/stat ]; then
  read -r boot < /proc/sys/kernel/random/boot_id
  read -r stat < /proc/$$/stat
  startedField \${stat##*) }
  started=$boot/$started
else
  started=$(/bin/ps -o lstart= -p $$)
fi
set -C
{ echo "$$ $started" > "$run.claim"; } 2> /dev/null || exit 0
[ -e "$run.exit" ] && exit 0
(exec "$@" < /dev/null >> "$log.stdout" 2>> "$log.stderr")
echo $? > "$run.exit"
`;

export interface ShimStart {
  /** Path without ending: beside it stand `.claim` and, in the end, `.exit`. */
  readonly run: string;
  /** Path without ending: `.stdout` and `.stderr` are appended to. */
  readonly log: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
}

/**
 * Starts a command in a session and process group of its own, so that it outlives this process.
 *
 * Guarantees: of any number of starts with one `run` path, also by different processes at once, one runs the command.
 */
export function startShim({ run, log, command, env, workingDir }: ShimStart): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SHIM, 'colony-shim', run, log, ...command], {
    cwd: workingDir,
    env,
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  return child;
}
