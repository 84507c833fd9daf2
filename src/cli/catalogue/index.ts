import type { CommandGroup } from '../command-spec.ts';
import { flows } from './flows.ts';
import { instances } from './instances.ts';
import { kinds } from './kinds.ts';
import { reading } from './reading.ts';
import { running } from './running.ts';
import { writing } from './writing.ts';

/** Every command, in the order and under the headings of `colony --help`. */
export const catalogue: readonly CommandGroup[] = [
  { heading: 'Say what should exist:', commands: writing },
  { heading: 'See what is:', commands: reading },
  { heading: 'What runs:', commands: instances },
  { heading: 'Workflows:', commands: flows },
  { heading: 'Kinds:', commands: kinds },
  { heading: 'Running colony:', commands: running },
];
