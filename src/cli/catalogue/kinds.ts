import type { CommandSpec } from '../command-spec.ts';
import { ALL_NAMESPACES, CASCADE, DRY_RUN, FILES, NO_HEADERS, RECURSIVE, SELECTOR, SHOW_LABELS, TIMEOUT } from './options.ts';

const apply = () => import('../commands/apply.ts');
const crd = () => import('../commands/crd.ts');
const resource = () => import('../commands/resource.ts');

/** Commands about kinds, and the spelling of the ColonyOS documents. */
export const kinds: readonly CommandSpec[] = [
  {
    name: 'kinds',
    aliases: ['api-resources'],
    summary: 'Every kind there is, with its short names.',
    options: [NO_HEADERS],
    examples: ['colony kinds', 'colony kinds -o wide', 'colony kinds -o json'],
    load: () => import('../commands/kinds.ts'),
  },
  {
    name: 'explain',
    args: '<kind.path>',
    summary: 'The fields of a kind.',
    examples: ['colony explain widget', 'colony explain widget.spec.size'],
    load: () => import('../commands/explain.ts'),
  },
  {
    name: 'crd',
    summary: 'Kinds of your own: register, list, show, remove definitions.',
    examples: ['colony crd create -f widget-definition.yaml', 'colony crd list', 'colony crd delete widgets.example.com'],
    subcommands: [
      {
        name: 'create',
        isLong: true,
        summary: 'Register definitions; refuse what is registered already.',
        options: [FILES, RECURSIVE, DRY_RUN],
        examples: ['colony crd create -f widget-definition.yaml'],
        load: crd,
        preset: { verb: 'create' },
      },
      {
        name: 'apply',
        isLong: true,
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
        isLong: true,
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
        isLong: true,
        aliases: ['add'],
        summary: 'Create resources from files; refuse what exists already.',
        options: [FILES, RECURSIVE, DRY_RUN],
        examples: ['colony resource create -f instance.json'],
        load: apply,
        preset: { verb: 'create' },
      },
      {
        name: 'update',
        isLong: true,
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
        isLong: true,
        aliases: ['remove'],
        args: '<name>',
        summary: 'Delete a resource by its name, whatever its kind.',
        options: [
          ['--force', 'end it without clean-up; says what is left behind'],
          CASCADE,
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
