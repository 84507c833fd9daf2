import { type Row, rowFrom } from '../../client/row.ts';
import { Grpc } from './grpc.ts';
import { bytesField, Fields, numberField } from './protobuf.ts';

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
        for (const field = new Fields(await grpc.call('ListWorkflowExecutions', request)); field.next(); ) {
          if (field.number === 1) {
            const row = rowIn(field.inside());
            if (row) found.push(row);
          } else if (field.number === 2 && field.end > field.start) token = field.bytes.subarray(field.start, field.end);
        }
      }
      return found;
    },
    describe: async (workflowId) => {
      const request = Buffer.concat([bytesField(1, temporalNamespace), bytesField(2, bytesField(1, workflowId))]);
      const field = new Fields(await grpc.call('DescribeWorkflowExecution', request));
      while (field.next()) if (field.number === 2) return rowIn(field.inside());
      return undefined;
    },
  };
}

/** A WorkflowExecutionInfo as far as a row needs it; undefined when it is no resource's. */
function rowIn(field: Fields): Row | undefined {
  let [workflowId, runId, kind] = ['', '', ''];
  let [status, startedAt] = [0, 0];
  let closedAt: number | undefined;
  let index: Record<string, unknown> = {};
  let memo: Record<string, unknown> = {};
  while (field.next()) {
    if (field.number === 1) [workflowId, runId] = [textIn(field.inside(), 1), textIn(field.inside(), 2)];
    else if (field.number === 2) kind = textIn(field.inside(), 1);
    else if (field.number === 3) startedAt = msIn(field.inside());
    else if (field.number === 4) closedAt = msIn(field.inside());
    else if (field.number === 5) status = field.value;
    else if (field.number === 10) memo = payloadsIn(field.inside());
    else if (field.number === 11) index = payloadsIn(field.inside());
  }
  return rowFrom({ workflowId, runId, kind, status, startedAt, closedAt, index, memo });
}

function textIn(field: Fields, wanted: number): string {
  while (field.next()) if (field.number === wanted) return field.text();
  return '';
}

function msIn(field: Fields): number {
  let [seconds, nanos] = [0, 0];
  while (field.next()) {
    if (field.number === 1) seconds = field.value;
    else nanos = field.value;
  }
  return seconds * 1_000 + Math.floor(nanos / 1_000_000);
}

function payloadsIn(entry: Fields): Record<string, unknown> {
  const payloads: Record<string, unknown> = {};
  while (entry.next()) {
    if (entry.number !== 1) continue;
    let key = '';
    for (const half = entry.inside(); half.next(); ) {
      if (half.number === 1) key = half.text();
      else if (half.number === 2) take(payloads, key, textIn(half.inside(), 2));
    }
  }
  return payloads;
}

function take(payloads: Record<string, unknown>, key: string, text: string): void {
  try {
    payloads[key] = JSON.parse(text);
  } catch {
    // Not JSON, so not written by colony.
  }
}
