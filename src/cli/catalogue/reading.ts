import type { CommandSpec } from '../command-spec.ts';
import { ALL_NAMESPACES, FILES, NO_HEADERS, READING, RECURSIVE, REDRAW, SELECTOR, SHOW_LABELS, TIMEOUT } from './options.ts';

const get = () => import('../commands/get.ts');

/** Commands that only look. */
export const reading: readonly CommandSpec[] = [
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
    load: () => import('../commands/describe.ts'),
  },
  {
    name: 'tree',
    args: '<kind/name>',
    summary: 'A resource with all that it answers for, as a tree.',
    details: 'Children stand in the order in which they were made; what runs for a resource hangs below it.',
    options: [NO_HEADERS, REDRAW],
    examples: ['colony tree capp/shop', 'colony tree capp/shop -o wide', 'colony tree workflow/nightly -o json'],
    load: () => import('../commands/tree.ts'),
  },
  {
    name: 'watch',
    isLong: true,
    args: '<kind> [name]',
    summary: 'Print what is there, then every change, with what happened.',
    details: 'Ctrl-C ends it with exit code 0.',
    options: [ALL_NAMESPACES, SELECTOR, SHOW_LABELS, NO_HEADERS],
    examples: ['colony watch widgets', 'colony watch widget w1 -o json'],
    load: () => import('../commands/watch.ts'),
  },
  {
    name: 'wait',
    isLong: true,
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
    load: () => import('../commands/wait.ts'),
  },
  {
    name: 'events',
    args: '<kind/name>',
    summary: 'What happened to a resource, and why.',
    options: [NO_HEADERS],
    examples: ['colony events widget/w1', 'colony events widget/w1 -o json'],
    load: () => import('../commands/events.ts'),
  },
  {
    name: 'history',
    args: '<kind/name>',
    summary: 'Earlier specs of a resource: when, by whom, what changed.',
    options: [['--revision <number>', 'show the spec of this one'], ['--limit <count>', 'only the newest ones'], NO_HEADERS],
    examples: ['colony history widget/w1', 'colony history widget/w1 --revision 3', 'colony history widget/w1 --limit 5 -o json'],
    load: () => import('../commands/history.ts'),
  },
  {
    name: 'diff',
    summary: 'What `apply` would change.',
    details: 'Exit code 0: nothing; 1: something; 2: it could not be found out.',
    options: [FILES, RECURSIVE],
    examples: ['colony diff -f widget.yaml', 'colony diff -f manifests/ -R', 'colony diff -f widget.yaml -o json'],
    load: () => import('../commands/diff.ts'),
  },
];
