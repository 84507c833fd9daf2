import type { CommandSpec } from '../command-spec.ts';
import { NO_HEADERS, TIMEOUT, WAIT } from './options.ts';

const rollout = () => import('../commands/rollout.ts');
const INSTANCE = ['--instance <which>', 'one of them: its slot, name or id'] as const;

/** Commands about what runs for a resource. */
export const instances: readonly CommandSpec[] = [
  {
    name: 'scale',
    isLong: true,
    args: '<kind/name>',
    summary: 'Say how many instances a resource should have.',
    options: [['--replicas <count>', 'how many; 0 ends them all'], WAIT, TIMEOUT],
    examples: ['colony scale executordeployment/web --replicas 5', 'colony scale executordeployment/web --replicas 0 --wait'],
    load: () => import('../commands/scale.ts'),
  },
  {
    name: 'rollout',
    summary: 'How a new revision takes over: follow, pause, undo, restart it.',
    examples: ['colony rollout status executordeployment/web', 'colony rollout undo executordeployment/web --to 3'],
    subcommands: [
      {
        name: 'status',
        isLong: true,
        args: '<kind/name>',
        summary: 'Follow a rollout until it is done or has failed.',
        details: 'Exit code 0: done; 1: failed, or the time is up. What is paused is waited for.',
        options: [['--watch [boolean]', 'follow it (the default); false: one look'], TIMEOUT],
        examples: [
          'colony rollout status executordeployment/web',
          'colony rollout status executordeployment/web --timeout 2m',
          'colony rollout status executordeployment/web --watch=false',
        ],
        load: rollout,
        preset: { verb: 'status' },
      },
      {
        name: 'pause',
        args: '<kind/name>',
        summary: 'Nothing new takes over until it is resumed; what runs is kept running.',
        examples: ['colony rollout pause executordeployment/web'],
        load: rollout,
        preset: { verb: 'pause' },
      },
      {
        name: 'resume',
        isLong: true,
        args: '<kind/name>',
        summary: 'Let a paused rollout go on.',
        options: [WAIT, TIMEOUT],
        examples: ['colony rollout resume executordeployment/web --wait'],
        load: rollout,
        preset: { verb: 'resume' },
      },
      {
        name: 'undo',
        args: '<kind/name>',
        summary: 'Go back to what ran before, by the same rollout.',
        details: 'Only what makes a rollout goes back (image, command, env, …): replicas, strategy and placement stay as they are.',
        options: [['--to <generation>', 'to that of which one, as history numbers them; default: the last that was different']],
        examples: ['colony rollout undo executordeployment/web', 'colony rollout undo executordeployment/web --to 3'],
        load: () => import('../commands/rollout-undo.ts'),
      },
      {
        name: 'restart',
        isLong: true,
        args: '<kind/name>',
        summary: 'Replace all instances by new ones of the same spec, bit by bit.',
        options: [WAIT, TIMEOUT],
        examples: ['colony rollout restart executordeployment/web --wait'],
        load: rollout,
        preset: { verb: 'restart' },
      },
      {
        name: 'history',
        args: '<kind/name>',
        summary: 'Earlier specs: when, by whom, what changed.',
        options: [['--revision <number>', 'show the spec of this one'], ['--limit <count>', 'only the newest ones'], NO_HEADERS],
        examples: ['colony rollout history executordeployment/web', 'colony rollout history executordeployment/web --revision 3'],
        load: () => import('../commands/history.ts'),
      },
    ],
  },
  {
    name: 'logs',
    isLong: true,
    args: '<kind/name>',
    summary: 'What the instances of a resource said.',
    details:
      'Of all instances on this node when none is named; lines then begin with the slot. What an instance wrote to stderr comes on stderr.',
    options: [
      ['-f, --follow', 'go on with what is said from now on, also by instances that come later, until Ctrl-C'],
      INSTANCE,
      ['--previous', 'of the life before the last start; an error when there is none'],
      ['--tail <lines>', 'only so many lines from the end of each'],
      ['--timestamps', 'each line begins with when it was said; not for runtime local'],
    ],
    examples: [
      'colony logs executordeployment/web -f',
      'colony logs executordeployment/web --instance 2 --previous',
      'colony logs executordeployment/web --tail 20 --timestamps',
      'colony logs executordeployment/web -o json | jq -r .line',
    ],
    load: () => import('../commands/logs.ts'),
  },
  {
    name: 'exec',
    isLong: true,
    args: '<kind/name> <command...>',
    summary: 'Run a command inside an instance of a resource.',
    details: 'The exit code of the command is that of colony. Without --instance it is the first one that is ready.',
    options: [INSTANCE, ['-i, --stdin', 'pass standard input on'], ['-t, --tty', 'give the command a terminal']],
    examples: [
      'colony exec executordeployment/web -- ls -l /',
      'colony exec executordeployment/web -it -- sh',
      'colony exec executordeployment/web --instance 2 -i -- psql < dump.sql',
    ],
    load: () => import('../commands/exec.ts'),
  },
  {
    name: 'top',
    args: '[kind/name]',
    summary: 'What instances use: cores, memory, processes.',
    details: 'Of one resource, or of everything on this node. CPU is in cores.',
    options: [NO_HEADERS],
    examples: ['colony top', 'colony top executordeployment/web', 'colony top -o json'],
    load: () => import('../commands/top.ts'),
  },
];
