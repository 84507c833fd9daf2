import { coresdk } from '@temporalio/proto';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Command = coresdk.workflow_commands.IWorkflowCommand;

/** What one activation of an earlier bundle was told, and what it said to that. */
export interface RecordedTurn {
  readonly at: number;
  readonly historyLength: number;
  readonly historySize?: number;
  readonly jobs: readonly object[];
  readonly said: readonly string[];
}

/** A run as an earlier bundle lived it. */
export interface Recording {
  readonly flags: readonly number[];
  readonly turns: readonly RecordedTurn[];
}

const MARK = 'setPatchMarker ';

const { WorkflowActivationJob } = coresdk.workflow_activation;

/** Jobs as JSON, with payloads in base64. */
export const jobsToJson = (jobs: readonly Job[]): object[] =>
  jobs.map((job) => WorkflowActivationJob.toObject(WorkflowActivationJob.fromObject(job), { bytes: String, longs: String, enums: String }));

export const jobsFromJson = (jobs: readonly object[]): Job[] => jobs.map((job) => WorkflowActivationJob.fromObject(job));

/** A recording as text: what repeats itself in a payload is written once. */
export const packed = (recording: Recording): string =>
  `${JSON.stringify(recording, undefined, 1).replace(/([\w+/]{4})\1{49,}/g, (all, unit: string) => `<${unit}*${all.length / 4}>`)}\n`;

export const unpacked = (text: string): Recording =>
  JSON.parse(text.replace(/<([\w+/]{4})\*(\d+)>/g, (_all, unit: string, times: string) => unit.repeat(Number(times)))) as Recording;

/** A command by what a replay compares it by: its kind and what it is about, not what it carries. */
export function outlineOf({ userMetadata: _words, ...command }: Command): string {
  const [kind, body] = Object.entries(command).find(([, given]) => given) ?? ['nothing', {}];
  const { seq, activityType, signalName, patchId, updateResponse } = { ...(body as Record<string, unknown>), ...command } as Record<
    string,
    unknown
  >;
  return [kind, seq, activityType, signalName, patchId, updateOutline(updateResponse as Command['updateResponse'])]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** A mark is told to a replay, and is no difference of its own. */
export const isMark = (outline: string): boolean => outline.startsWith(MARK);

export const marksIn = (said: readonly string[]): string[] => said.filter(isMark).map((line) => line.slice(MARK.length));

function updateOutline(response: Command['updateResponse']): string | undefined {
  if (!response) return undefined;
  const end = response.accepted ? 'accepted' : response.rejected ? 'rejected' : 'completed';
  return `${response.protocolInstanceId} ${end}`;
}
