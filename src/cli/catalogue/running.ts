import type { CommandSpec } from '../command-spec.ts';

const requestState = () => import('../commands/requeststate.ts');

/** Commands that run something, or help to. */
export const running: readonly CommandSpec[] = [
  {
    name: 'up',
    isLong: true,
    summary: 'Run all that colony needs on this machine, until Ctrl-C.',
    details: 'Temporal (unless TEMPORAL_ADDRESS names one), worker and node; the same as npm start.',
    examples: ['colony up', 'TEMPORAL_ADDRESS=temporal.example.com:7233 colony up'],
    load: () => import('../commands/up.ts'),
  },
  {
    name: 'executor',
    isLong: true,
    args: '<file>',
    summary: 'Serve the handlers of a kind of your own, until Ctrl-C.',
    details: 'The file is TypeScript or JavaScript; its default export is what defineExecutor of colony/executor makes.',
    options: [['--concurrency <count>', 'how many calls at once; default 20']],
    examples: ['colony executor examples/01-widget/executor.ts', 'colony executor ./executor.ts --concurrency 5'],
    load: () => import('../commands/executor.ts'),
  },
  {
    name: 'requeststate',
    summary: 'The director and the workers of request flows.',
    examples: [
      'colony requeststate worker -n demo',
      'colony requeststate director -n demo --jobs JOB1,JOB2',
      'colony requeststate list -n demo',
    ],
    subcommands: [
      {
        name: 'director',
        isLong: true,
        summary: 'Begin requests and lead them from job to job until all are at their end.',
        details: 'Started again under the same name it goes on with what is unfinished. Exit code 1 when a request did not complete.',
        options: [
          ['--name <name>', 'whose requests; default: the name of this machine'],
          ['--jobs <list>', 'the jobs in their order; default JOB1,JOB2'],
          ['--count <count>', 'how many requests; default 1'],
          ['--attempts <count>', 'how often a job may be tried; default 3'],
          ['--timeout <duration>', 'how long one try may take; default: for ever'],
        ],
        examples: ['colony requeststate director -n demo', 'colony requeststate director --name d1 --count 20 --jobs FETCH,TRAIN'],
        load: requestState,
        preset: { verb: 'director' },
      },
      {
        name: 'worker',
        isLong: true,
        summary: 'Take jobs and do them, until Ctrl-C.',
        details: 'A job is claimed under a lease that is renewed while it is worked on; when a worker is lost, another takes over.',
        options: [
          ['--name <name>', 'under which it claims; default: machine and process'],
          ['--jobs <list>', 'the jobs it takes; default: all'],
          ['--lease <duration>', 'how long a claim lasts without a sign of life; default 30s'],
          ['--parallel <count>', 'how many jobs at once; default 4'],
          ['--work-ms <ms>', 'how long a job takes; default 2000'],
          ['--exec <command>', 'do the job with a shell command; it gets JOB, ATTEMPT and REQUEST_UID'],
        ],
        examples: ['colony requeststate worker -n demo', "colony requeststate worker --jobs TRAIN --exec './train.sh'"],
        load: requestState,
        preset: { verb: 'worker' },
      },
      {
        name: 'list',
        aliases: ['ls'],
        summary: 'All requests of a namespace with their whole history.',
        examples: ['colony requeststate list -n demo', 'colony requeststate list -n demo -o json'],
        load: requestState,
        preset: { verb: 'list' },
      },
    ],
  },
  {
    name: 'demo',
    isLong: true,
    summary: 'A tour of about a minute; needs nothing running.',
    options: [['--fast', 'without pauses for reading']],
    examples: ['colony demo', 'npm run demo -- --fast'],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'doctor',
    isLong: true,
    summary: 'Check everything colony stands on, and say what to do.',
    examples: ['colony doctor', 'colony doctor -o json', 'colony doctor --address temporal.example.com:7233'],
    load: () => import('../commands/doctor.ts'),
  },
  {
    name: 'completion',
    args: '<shell>',
    summary: 'Print a completion script for bash, zsh or fish.',
    examples: ['source <(colony completion bash)', 'colony completion zsh > "${fpath[1]}/_colony"', 'colony completion fish | source'],
    load: () => import('../commands/completion.ts'),
  },
  {
    name: 'version',
    summary: 'The versions of colony and of what it talks to.',
    options: [['--client', 'do not ask the server']],
    examples: ['colony version', 'colony version --client -o json'],
    load: () => import('../commands/version.ts'),
  },
];
