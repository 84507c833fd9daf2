import type { CommandSpec } from '../command-spec.ts';
import { DELETING, DRY_RUN, FILES, RECURSIVE, TIMEOUT, WAIT } from './options.ts';

const apply = () => import('../commands/apply.ts');
const remove = () => import('../commands/delete.ts');

/** Commands that change what should exist. */
export const writing: readonly CommandSpec[] = [
  {
    name: 'apply',
    isLong: true,
    summary: 'Make resources as the files say: create them or change them.',
    details: 'Definitions go first. A bad document is reported and not stored; the others still are, and the exit code is 1.',
    options: [FILES, RECURSIVE, DRY_RUN, WAIT, TIMEOUT],
    examples: [
      'colony apply -f widget.yaml',
      'colony apply -f manifests/ -R',
      'cat widget.json | colony apply -f -',
      'colony apply -f widget.yaml --dry-run',
      'colony apply -f widget.yaml --wait --timeout 2m',
    ],
    load: apply,
    preset: { verb: 'apply' },
  },
  {
    name: 'create',
    isLong: true,
    summary: 'Create resources from files; refuse what exists already.',
    options: [FILES, RECURSIVE, DRY_RUN, WAIT, TIMEOUT],
    examples: ['colony create -f widget.yaml', 'colony create -f widget.yaml -o yaml --dry-run'],
    load: apply,
    preset: { verb: 'create' },
  },
  {
    name: 'plan',
    summary: 'What `apply` would create, change, replace and delete; touches nothing.',
    details: 'Of an Application its components, wave by wave; a value that nobody knows yet names whom it waits for.',
    options: [FILES, RECURSIVE],
    examples: ['colony plan -f shop.yaml', 'colony plan -f manifests/ -R', 'cat shop.yaml | colony plan -f - -o json'],
    load: () => import('../commands/plan.ts'),
  },
  {
    name: 'set',
    args: '<kind/name> <path=value...>',
    summary: 'Change single fields of a resource, all of them in one write.',
    details:
      'A value is read as JSON and, when it is none, as text; path- takes the field away. A name with dots stands in brackets and quotes.',
    examples: [
      'colony set widget/w1 spec.size=3',
      'colony set widget/w1 spec.tags=\'["a","b"]\' spec.note=hello',
      'colony set widget/w1 spec.note-',
      'colony set widget/w1 \'metadata.annotations["example.com/team"]=shop\'',
    ],
    load: () => import('../commands/set.ts'),
  },
  {
    name: 'delete',
    isLong: true,
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
    load: () => import('../commands/rollback.ts'),
  },
  {
    name: 'command',
    args: '<kind/name> <verb> [key=value...]',
    summary: "Call one of a kind's own verbs.",
    details: 'A value is read as JSON and, when it is none, as text.',
    examples: [
      'colony command requeststate/r1 claim worker=me leaseSeconds=30',
      'colony command executordeployment/web scale replicas=3 -o json',
    ],
    load: () => import('../commands/command.ts'),
  },
  {
    name: 'reconcile',
    args: '<kind/name...>',
    summary: 'Look at a resource now instead of at its next turn.',
    options: [['--force', 'also when nothing seems to have changed']],
    examples: ['colony reconcile widget/w1', 'colony reconcile widget/w1 --force'],
    load: () => import('../commands/reconcile.ts'),
  },
  {
    name: 'pause',
    args: '<kind/name...>',
    summary: 'Leave resources alone until they are resumed.',
    examples: ['colony pause widget/w1'],
    load: () => import('../commands/pause.ts'),
    preset: { verb: 'pause' },
  },
  {
    name: 'resume',
    args: '<kind/name...>',
    summary: 'Look after paused resources again.',
    examples: ['colony resume widget/w1'],
    load: () => import('../commands/pause.ts'),
    preset: { verb: 'resume' },
  },
];
