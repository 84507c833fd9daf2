import { Command, type CommanderError, type Option } from 'commander';
import { version } from '../../package.json';
import { catalogue } from './catalogue/index.ts';
import type { CommandGroup, CommandSpec } from './command-spec.ts';
import type { Globals } from './context.ts';
import { notBoth } from './contradictions.ts';
import type { Io } from './io.ts';
import { EXIT_USAGE } from './report.ts';

/** Called with the command that the line names; the program itself does nothing. */
export type Dispatch = (spec: CommandSpec, globals: Globals, args: readonly string[], options: object) => Promise<void>;

const SHORT = 'Custom resources without Kubernetes: each one a Temporal workflow that keeps it so.';
const START = `
To start:
  colony up                            run everything on this machine
  colony crd create -f kind.yaml       define a kind of your own
  colony apply -f widget.yaml          say what should exist
  colony get widgets -w                watch it become so

Environment: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, COLONY_NAMESPACE,
             COLONY_HOME, NO_COLOR
Exit codes:  0 done, 1 error, 2 wrong usage, 130 interrupted; Ctrl-C ends a
             watch with 0
`;

/** The tree of commands, without what they do. */
export function buildProgram(io: Pick<Io, 'out' | 'err'>, dispatch: Dispatch, groups: readonly CommandGroup[] = catalogue): Command {
  const program = new Command('colony')
    .description(SHORT)
    .usage('COMMAND [options]')
    .option('-n, --namespace <name>', 'namespace; default: COLONY_NAMESPACE, else "default"')
    .option('-o, --output <format>', 'table, wide, json, yaml, name or jsonpath=PATH')
    .option('--address <host:port>', 'where Temporal is; default: TEMPORAL_ADDRESS, else the last `colony up`')
    .option('--temporal-namespace <name>', 'namespace of Temporal; default: TEMPORAL_NAMESPACE')
    .option('-v, --verbose', 'say more; a stack trace with an error')
    .option('--no-color', 'no colours, also on a terminal')
    .addHelpText('after', START)
    .helpOption('-h, --help', 'explain this command')
    .version(`colony ${version}`, '-V, --version', 'say which colony this is')
    .configureHelp({ helpWidth: 80, subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', ') })
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text), outputError: (text, write) => write(text) })
    .exitOverride();
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading);
    for (const spec of commands) add(program, spec, dispatch);
  }
  const help = new Command('help').argument('[command]').description('Explain a command.');
  return program.addHelpCommand(help.helpGroup(groups.at(-1)?.heading ?? ''));
}

/** The exit code of what commander throws: 0 after help that was asked for, 2 for a line that it cannot read. */
export const exitCodeOf = ({ exitCode }: CommanderError): number => (exitCode === 0 ? 0 : EXIT_USAGE);

/** Leaves of `help nope` the word: that it is no command is said then. By itself, commander would explain everything instead. */
export function helpOnCommands(argv: readonly string[], program: Command): readonly string[] {
  const at = commandAt(argv, program);
  const topic = argv[at + 1];
  if (argv[at] !== 'help' || topic === undefined || topic.startsWith('-')) return argv;
  if (topic === 'help') return ['help'];
  return program.commands.some((command) => [command.name(), ...command.aliases()].includes(topic)) ? argv : [topic];
}

/** Puts a `--` behind a command that hands on what follows: options there are not colony's own. */
export function handingOn(argv: readonly string[], program: Command, groups: readonly CommandGroup[] = catalogue): readonly string[] {
  const at = commandAt(argv, program);
  const rest = argv.slice(at + 1);
  const isHelp = rest.length === 1 && ['-h', '--help'].includes(rest[0] ?? '');
  const isHandingOn = groups.some(({ commands }) => commands.some(({ name, passThrough }) => passThrough && name === argv[at]));
  return isHandingOn && !isHelp ? [...argv.slice(0, at + 1), '--', ...rest] : argv;
}

/** Where the name of the command stands: the first word that is no global option, nor the value of one. */
function commandAt(argv: readonly string[], program: Command): number {
  const takesNext = (word: string): boolean =>
    program.options.some(({ short, long, required }) => required && [short, long].includes(word));
  return argv.findIndex((word, index) => !word.startsWith('-') && !takesNext(argv[index - 1] ?? ''));
}

function add(parent: Command, spec: CommandSpec, dispatch: Dispatch): void {
  const command = parent.command(spec.args ? `${spec.name} ${spec.args}` : spec.name).summary(spec.summary);
  command.description(spec.details ? `${spec.summary}\n\n${spec.details}` : spec.summary);
  if (spec.aliases) command.aliases([...spec.aliases]);
  for (const [flags, description] of spec.options ?? []) command.option(flags, description);
  refuseYesAndNo(command);
  command.addHelpText('after', helpAfter(spec));
  for (const sub of spec.subcommands ?? []) add(command, sub, dispatch);
  if (!spec.load) return;
  command.showHelpAfterError(`See: colony ${parent.parent ? `${parent.name()} ` : ''}${spec.name} --help`);
  command.action(async (...received: unknown[]) => {
    const globals = rootOf(command).opts<Globals>();
    await dispatch(spec, globals, argsOf(command, received), { ...command.opts(), ...spec.preset });
  });
}

/** `--wait` and `--no-wait` fill one field: of both, the last would win and the other be forgotten. */
function refuseYesAndNo(command: Command): void {
  for (const no of command.options.filter(({ negate }) => negate)) {
    const yes = command.options.find((option) => !option.negate && option.attributeName() === no.attributeName());
    if (!yes) continue;
    const given = new Set<Option>();
    for (const option of [yes, no]) {
      command.on(`option:${option.name()}`, () => {
        if (given.add(option).size > 1) throw notBoth(yes.long ?? yes.flags, no.long ?? no.flags);
      });
    }
  }
}

const helpAfter = ({ examples }: CommandSpec): string =>
  `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}\n\nOptions of every command (-n, -o, --address …): colony --help\n`;

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** Everything positional, variadic ones flattened, in the order written. */
function argsOf(command: Command, received: readonly unknown[]): readonly string[] {
  if (command.registeredArguments.length === 0) return command.args;
  return received
    .slice(0, command.registeredArguments.length)
    .flat()
    .filter((arg): arg is string => typeof arg === 'string');
}
