import type { CommandGroup, CommandSpec } from './command-spec.ts';

const FILES = ['-f, --filename <path...>', 'file, folder or - for standard input; YAML or JSON'] as const;
const RECURSIVE = ['-R, --recursive', 'look in the folders of a folder too'] as const;
const DRY_RUN = ['--dry-run [mode]', 'check and say what would happen; store nothing'] as const;
const ALL_NAMESPACES = ['-A, --all-namespaces', 'in every namespace'] as const;
const SELECTOR = ['-l, --selector <labels>', "only those whose labels match: app=x,tier!=db,'env in (a,b)'"] as const;
const SHOW_LABELS = ['--show-labels', 'a column with the labels'] as const;
const NO_HEADERS = ['--no-headers', 'rows only'] as const;
const TIMEOUT = ['--timeout <duration>', 'how long to wait: 30s, 5m'] as const;

const READING = [
  ALL_NAMESPACES,
  SELECTOR,
  ['-w, --watch', 'then print every change; Ctrl-C ends it with exit code 0'],
  SHOW_LABELS,
  NO_HEADERS,
] as const;

const DELETING = [
  FILES,
  RECURSIVE,
  ['--all', 'all of the kind in the namespace'],
  ALL_NAMESPACES,
  SELECTOR,
  ['--force', 'end it without clean-up; says what is left behind'],
  ['--cascade <mode>', 'what becomes of its children: background, foreground or orphan'],
  ['--wait [boolean]', 'come back when it is gone (the default)'],
  ['--no-wait', 'come back when the deletion is recorded'],
  TIMEOUT,
  ['--ignore-not-found', 'what is not there is no error'],
] as const;

const get = () => import('./commands/get.ts');
const apply = () => import('./commands/apply.ts');
const remove = () => import('./commands/delete.ts');
const crd = () => import('./commands/crd.ts');
const resource = () => import('./commands/resource.ts');
const requestState = () => import('./commands/requeststate.ts');

const writing: readonly CommandSpec[] = [
  {
    name: 'apply',
    summary: 'Make resources as the files say: create them or change them.',
    details: 'Definitions go first. A bad document is reported and not stored; the others still are, and the exit code is 1.',
    options: [FILES, RECURSIVE, DRY_RUN],
    examples: [
      'colony apply -f widget.yaml',
      'colony apply -f manifests/ -R',
      'cat widget.json | colony apply -f -',
      'colony apply -f widget.yaml --dry-run',
    ],
    load: apply,
    preset: { verb: 'apply' },
  },
  {
    name: 'create',
    summary: 'Create resources from files; refuse what exists already.',
    options: [FILES, RECURSIVE, DRY_RUN],
    examples: ['colony create -f widget.yaml', 'colony create -f widget.yaml -o yaml --dry-run'],
    load: apply,
    preset: { verb: 'create' },
  },
  {
    name: 'set',
    args: '<kind/name> <path=value...>',
    summary: 'Change single fields of a resource, all of them in one write.',
    details: 'A value is read as JSON and, when it is none, as text; path- takes the field away.',
    examples: [
      'colony set widget/w1 spec.size=3',
      'colony set widget/w1 spec.tags=\'["a","b"]\' spec.note=hello',
      'colony set widget/w1 spec.note-',
    ],
    load: () => import('./commands/set.ts'),
  },
  {
    name: 'delete',
    args: '[kind] [name...]',
    summary: 'Delete resources, by name, file, label or all of a kind.',
    details: 'Clean-up comes first: the command waits until the resource is gone.',
    options: DELETING,
    examples: [
      'colony delete widget w1 w2',
      'colony delete widget/w1 --cascade foreground',
      'colony delete -f manifests/',
      'colony delete widgets --all -n dev --no-wait',
      'colony delete widget/w1 --force',
    ],
    load: remove,
  },
  {
    name: 'rollback',
    args: '<kind/name>',
    summary: 'Go back to an earlier spec.',
    options: [['--to <revision>', 'which one, as `history` numbers them; default: the one before']],
    examples: ['colony rollback widget/w1', 'colony rollback widget/w1 --to 3'],
    load: () => import('./commands/rollback.ts'),
  },
  {
    name: 'command',
    args: '<kind/name> <verb> [key=value...]',
    summary: "Call one of a kind's own verbs.",
    details: 'A value is read as JSON and, when it is none, as text.',
    examples: ['colony command requeststate/r1 claim worker=me lease=30', 'colony command widget/w1 scale replicas=3 -o json'],
    load: () => import('./commands/command.ts'),
  },
  {
    name: 'reconcile',
    args: '<kind/name...>',
    summary: 'Look at a resource now instead of at its next turn.',
    options: [['--force', 'also when nothing seems to have changed']],
    examples: ['colony reconcile widget/w1', 'colony reconcile widget/w1 --force'],
    load: () => import('./commands/reconcile.ts'),
  },
  {
    name: 'pause',
    args: '<kind/name...>',
    summary: 'Leave resources alone until they are resumed.',
    examples: ['colony pause widget/w1'],
    load: () => import('./commands/pause.ts'),
    preset: { verb: 'pause' },
  },
  {
    name: 'resume',
    args: '<kind/name...>',
    summary: 'Look after paused resources again.',
    examples: ['colony resume widget/w1'],
    load: () => import('./commands/pause.ts'),
    preset: { verb: 'resume' },
  },
];

const reading: readonly CommandSpec[] = [
  {
    name: 'get',
    args: '<kind> [name...]',
    summary: 'List resources, or show the ones named.',
    details: 'KIND is any name of a kind (see `colony kinds`), several joined by commas, or `all`.',
    options: READING,
    examples: [
      'colony get widgets',
      'colony get widget w1 -o yaml',
      'colony get widget/w1 database/d1',
      'colony get widgets,databases -A -l app=shop -o wide',
      'colony get all -n dev',
      'colony get widgets -w',
      'colony get widget/w1 -o jsonpath=.status.phase',
    ],
    load: get,
  },
  {
    name: 'describe',
    args: '<kind> [name...]',
    summary: 'Everything about a resource: conditions, events, and why it is stuck.',
    options: [ALL_NAMESPACES, SELECTOR],
    examples: ['colony describe widget/w1', 'colony describe widgets -l app=shop'],
    load: () => import('./commands/describe.ts'),
  },
  {
    name: 'watch',
    args: '<kind> [name]',
    summary: 'Print what is there, then every change, with what happened.',
    details: 'Ctrl-C ends it with exit code 0.',
    options: [ALL_NAMESPACES, SELECTOR, SHOW_LABELS, NO_HEADERS],
    examples: ['colony watch widgets', 'colony watch widget w1 -o json'],
    load: () => import('./commands/watch.ts'),
  },
  {
    name: 'wait',
    args: '<kind> [name...]',
    summary: 'Wait until resources are as asked.',
    options: [
      ['--for <what>', 'condition=Ready, condition=Ready=False, jsonpath=.status.phase=Running, or delete'],
      ['--all', 'all of the kind in the namespace'],
      SELECTOR,
      TIMEOUT,
    ],
    examples: [
      'colony wait widget/w1 --for=condition=Ready --timeout 30s',
      'colony wait widgets --all --for=condition=Ready',
      'colony wait widget/w1 --for=delete',
    ],
    load: () => import('./commands/wait.ts'),
  },
  {
    name: 'events',
    args: '<kind/name>',
    summary: 'What happened to a resource, and why.',
    options: [NO_HEADERS],
    examples: ['colony events widget/w1', 'colony events widget/w1 -o json'],
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'history',
    args: '<kind/name>',
    summary: 'Earlier specs of a resource: when, by whom, what changed.',
    options: [['--revision <number>', 'show the spec of this one'], ['--limit <count>', 'only the newest ones'], NO_HEADERS],
    examples: ['colony history widget/w1', 'colony history widget/w1 --revision 3', 'colony history widget/w1 --limit 5 -o json'],
    load: () => import('./commands/history.ts'),
  },
  {
    name: 'diff',
    summary: 'What `apply` would change.',
    details: 'Exit code 0: nothing; 1: something; 2: it could not be found out.',
    options: [FILES, RECURSIVE],
    examples: ['colony diff -f widget.yaml', 'colony diff -f manifests/ -R'],
    load: () => import('./commands/diff.ts'),
  },
];

const kinds: readonly CommandSpec[] = [
  {
    name: 'kinds',
    aliases: ['api-resources'],
    summary: 'Every kind there is, with its short names.',
    options: [NO_HEADERS],
    examples: ['colony kinds', 'colony kinds -o wide', 'colony kinds -o json'],
    load: () => import('./commands/kinds.ts'),
  },
  {
    name: 'explain',
    args: '<kind.path>',
    summary: 'The fields of a kind.',
    examples: ['colony explain widget', 'colony explain widget.spec.size'],
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'crd',
    summary: 'Kinds of your own: register, list, show, remove definitions.',
    examples: ['colony crd create -f widget-definition.yaml', 'colony crd list', 'colony crd delete widgets.example.com'],
    subcommands: [
      {
        name: 'create',
        summary: 'Register definitions; refuse what is registered already.',
        options: [FILES, RECURSIVE, DRY_RUN],
        examples: ['colony crd create -f widget-definition.yaml'],
        load: crd,
        preset: { verb: 'create' },
      },
      {
        name: 'apply',
        summary: 'Register definitions or change them.',
        options: [FILES, RECURSIVE, DRY_RUN],
        examples: ['colony crd apply -f definitions/'],
        load: crd,
        preset: { verb: 'apply' },
      },
      {
        name: 'list',
        aliases: ['ls'],
        summary: 'List the registered definitions.',
        options: [SHOW_LABELS, NO_HEADERS],
        examples: ['colony crd list', 'colony crd list -o json'],
        load: crd,
        preset: { verb: 'list' },
      },
      {
        name: 'get',
        args: '<name>',
        summary: 'Show one definition.',
        examples: ['colony crd get widgets.example.com', 'colony crd get widgets.example.com -o yaml'],
        load: crd,
        preset: { verb: 'get' },
      },
      {
        name: 'delete',
        aliases: ['remove'],
        args: '<name...>',
        summary: 'Remove definitions that have no resources left.',
        options: [
          ['--force', 'end it without clean-up'],
          ['--wait [boolean]', 'come back when it is gone (the default)'],
          ['--no-wait', 'come back at once'],
          TIMEOUT,
          ['--ignore-not-found', 'what is not there is no error'],
        ],
        examples: ['colony crd delete widgets.example.com'],
        load: crd,
        preset: { verb: 'delete' },
      },
    ],
  },
  {
    name: 'resource',
    summary: 'Resources in the spelling of the ColonyOS documents.',
    examples: [
      'colony resource create -f instance.json',
      'colony resource get ml-executors -n ml-colony',
      'colony resource list -n ml-colony',
    ],
    subcommands: [
      {
        name: 'create',
        aliases: ['add'],
        summary: 'Create resources from files; refuse what exists already.',
        options: [FILES, RECURSIVE, DRY_RUN],
        examples: ['colony resource create -f instance.json'],
        load: apply,
        preset: { verb: 'create' },
      },
      {
        name: 'update',
        summary: 'Change resources that exist.',
        options: [FILES, RECURSIVE, DRY_RUN],
        examples: ['colony resource update -f instance.json'],
        load: apply,
        preset: { verb: 'update' },
      },
      {
        name: 'get',
        args: '<name>',
        summary: 'Find a resource by its name, whatever its kind.',
        options: [SHOW_LABELS, NO_HEADERS],
        examples: ['colony resource get ml-executors -n ml-colony', 'colony resource get ml-executors -o json'],
        load: resource,
        preset: { verb: 'get' },
      },
      {
        name: 'list',
        aliases: ['ls'],
        summary: 'List resources of all kinds.',
        options: [['--kind <kind>', 'only of this kind'], ALL_NAMESPACES, SELECTOR, SHOW_LABELS, NO_HEADERS],
        examples: ['colony resource list -n ml-colony', 'colony resource list --kind Database -A'],
        load: resource,
        preset: { verb: 'list' },
      },
      {
        name: 'delete',
        aliases: ['remove'],
        args: '<name>',
        summary: 'Delete a resource by its name, whatever its kind.',
        options: [
          ['--force', 'end it without clean-up; says what is left behind'],
          ['--wait [boolean]', 'come back when it is gone (the default)'],
          ['--no-wait', 'come back when the deletion is recorded'],
          TIMEOUT,
        ],
        examples: ['colony resource delete ml-executors -n ml-colony'],
        load: resource,
        preset: { verb: 'delete' },
      },
    ],
  },
];

const running: readonly CommandSpec[] = [
  {
    name: 'up',
    summary: 'Run all that colony needs on this machine, until Ctrl-C.',
    details: 'Temporal (unless TEMPORAL_ADDRESS names one), worker and node; the same as npm start.',
    examples: ['colony up', 'TEMPORAL_ADDRESS=temporal.example.com:7233 colony up'],
    load: () => import('./commands/up.ts'),
  },
  {
    name: 'executor',
    args: '<file>',
    summary: 'Serve the handlers of a kind of your own, until Ctrl-C.',
    details: 'The file is TypeScript or JavaScript; its default export is what defineExecutor of colony/executor makes.',
    options: [['--concurrency <count>', 'how many calls at once; default 20']],
    examples: ['colony executor examples/01-widget/executor.ts', 'colony executor ./executor.ts --concurrency 5'],
    load: () => import('./commands/executor.ts'),
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
        summary: 'Begin requests and lead them from job to job until all are at their end.',
        details: 'Started again under the same name it goes on with what is unfinished. Exit code 1 when a request did not complete.',
        options: [
          ['--name <name>', 'whose requests; default: the name of this machine'],
          ['--jobs <list>', 'the jobs in their order; default JOB1,JOB2'],
          ['--count <count>', 'how many requests; default 1'],
          ['--attempts <count>', 'how often a job may be tried; default 3'],
          ['--timeout <duration>', 'how long one try may take; default: for ever'],
        ],
        examples: [
          'colony requeststate director -n demo',
          'colony requeststate director --name d1 --count 20 --jobs FETCH,TRAIN',
        ],
        load: requestState,
        preset: { verb: 'director' },
      },
      {
        name: 'worker',
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
    summary: 'A tour of about a minute; needs nothing running.',
    options: [['--fast', 'without pauses for reading']],
    examples: ['colony demo', 'npm run demo -- --fast'],
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check everything colony stands on, and say what to do.',
    examples: ['colony doctor', 'colony doctor -o json', 'colony doctor --address temporal.example.com:7233'],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    args: '<shell>',
    summary: 'Print a completion script for bash, zsh or fish.',
    examples: ['source <(colony completion bash)', 'colony completion zsh > "${fpath[1]}/_colony"', 'colony completion fish | source'],
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'version',
    summary: 'The versions of colony and of what it talks to.',
    options: [['--client', 'do not ask the server']],
    examples: ['colony version', 'colony version --client -o json'],
    load: () => import('./commands/version.ts'),
  },
];

/** Every command, in the order and under the headings of `colony --help`. */
export const catalogue: readonly CommandGroup[] = [
  { heading: 'Say what should exist:', commands: writing },
  { heading: 'See what is:', commands: reading },
  { heading: 'Kinds:', commands: kinds },
  { heading: 'Running colony:', commands: running },
];
