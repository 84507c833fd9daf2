import { type Row, rowOf } from '../../client/row.ts';
import { Grpc } from './grpc.ts';
import { bytesField, fieldsOf, numberField } from './protobuf.ts';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const PAGE_SIZE = 1_000;
const TIMEOUT_MS = 3_000;

/** Temporal's index and descriptions, read without its client: that takes longer to load than the answer to come. */
export interface IndexReader {
  /** All rows of a query. */
  rows(query: string): Promise<readonly Row[]>;
  /** The newest run under an id. */
  describe(workflowId: string): Promise<Row | undefined>;
}

/** Reads over a connection of its own, which ends with the process. */
export function indexReader(address: string, temporalNamespace: string): IndexReader {
  const grpc = new Grpc(address, SERVICE, TIMEOUT_MS);
  return {
    rows: async (query) => {
      const found: Row[] = [];
      for (let token: Buffer | undefined = Buffer.alloc(0); token; ) {
        const request: Buffer = Buffer.concat([
          bytesField(1, temporalNamespace),
          numberField(2, PAGE_SIZE),
          bytesField(3, token),
          bytesField(4, query),
        ]);
        token = undefined;
        for (const { number, bytes } of fieldsOf(await grpc.call('ListWorkflowExecutions', request))) {
          if (number === 1) found.push(...rowIn(bytes));
          else if (number === 2 && bytes.length > 0) token = bytes;
        }
      }
      return found;
    },
    describe: async (workflowId) => {
      const request = Buffer.concat([bytesField(1, temporalNamespace), bytesField(2, bytesField(1, workflowId))]);
      const answer = await grpc.call('DescribeWorkflowExecution', request);
      for (const { number, bytes } of fieldsOf(answer)) if (number === 2) return rowIn(bytes)[0];
      return undefined;
    },
  };
}

type RawRow = Parameters<typeof rowOf>[0];
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A WorkflowExecutionInfo as far as a row needs it; none when it is no resource's. */
function rowIn(message: Buffer): Row[] {
  const raw: Mutable<RawRow> = {};
  for (const { number, value, bytes } of fieldsOf(message)) {
    if (number === 1) raw.execution = { workflowId: textIn(bytes, 1), runId: textIn(bytes, 2) };
    else if (number === 2) raw.type = { name: textIn(bytes, 1) };
    else if (number === 3) raw.startTime = timeIn(bytes);
    else if (number === 4) raw.closeTime = timeIn(bytes);
    else if (number === 5) raw.status = value;
    else if (number === 10) raw.memo = { fields: payloadsIn(bytes) };
    else if (number === 11) raw.searchAttributes = { indexedFields: payloadsIn(bytes) };
  }
  const row = rowOf(raw);
  return row ? [row] : [];
}

function textIn(message: Buffer, wanted: number): string {
  for (const { number, bytes } of fieldsOf(message)) if (number === wanted) return bytes.toString('utf8');
  return '';
}

function timeIn(message: Buffer): { seconds: never; nanos: number } {
  const time = { seconds: 0, nanos: 0 };
  for (const { number, value } of fieldsOf(message)) time[number === 1 ? 'seconds' : 'nanos'] = value;
  return time as { seconds: never; nanos: number };
}

function payloadsIn(message: Buffer): Record<string, { data: Buffer }> {
  const payloads: Record<string, { data: Buffer }> = {};
  for (const { number, bytes } of fieldsOf(message)) {
    if (number !== 1) continue;
    let key = '';
    let data: Buffer | undefined;
    for (const entry of fieldsOf(bytes)) {
      if (entry.number === 1) key = entry.bytes.toString('utf8');
      else if (entry.number === 2) for (const part of fieldsOf(entry.bytes)) if (part.number === 2) data = part.bytes;
    }
    if (data) payloads[key] = { data };
  }
  return payloads;
}
