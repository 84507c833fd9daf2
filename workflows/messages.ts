import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ChildNews, ChildRef } from '../definitions/core/family.ts';
import type {
  ApplyAnswer,
  ApplyRequest,
  CommandAnswer,
  CommandRequest,
  DeleteAnswer,
  DeleteRequest,
  StatusRequest,
} from '../definitions/core/messages.ts';
import type { Resource, ResourceEvent, Revision, Status } from '../definitions/core/resource.ts';

/** News of one lane from an observer; the same news twice changes nothing. */
export interface ObservedRequest {
  readonly about: string;
  readonly value: unknown;
  /** Whom it is about; another incarnation under the same name has nothing to do with it. */
  readonly uid?: string;
}

/** Writes a person waits for. All but `observed` may also be sent as a signal of the same name. */
export const applyUpdate = defineUpdate<ApplyAnswer, [ApplyRequest]>('apply');
export const deleteUpdate = defineUpdate<DeleteAnswer, [DeleteRequest | undefined]>('delete');
export const commandUpdate = defineUpdate<CommandAnswer, [CommandRequest]>('command');
export const statusUpdate = defineUpdate<CommandAnswer, [StatusRequest]>('status');
export const observedUpdate = defineUpdate<CommandAnswer, [ObservedRequest]>('observed');

/** The same writes for the `temporal` CLI, and hints that may be lost or repeated. */
export const applySignal = defineSignal<[ApplyRequest]>('apply');
export const deleteSignal = defineSignal<[DeleteRequest?]>('delete');
export const reconcileSignal = defineSignal<[{ readonly force?: boolean }?]>('reconcile');
export const childSignal = defineSignal<[ChildNews?]>('child');

/** Reads; they never touch the world. */
export const resourceQuery = defineQuery<Resource | null>('resource');
export const statusQuery = defineQuery<Status | null>('status');
export const eventsQuery = defineQuery<readonly ResourceEvent[]>('events');
export const historyQuery = defineQuery<readonly Revision[]>('history');
export const familyQuery = defineQuery<readonly ChildRef[]>('family');
