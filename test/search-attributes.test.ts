import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureSearchAttributes, SearchAttributeClash, searchAttributes } from '../src/embedded/search-attributes.ts';
import { connectClient, leaseNamespace } from './support/temporal.ts';

const namespace = leaseNamespace();
let client: Client;
beforeAll(async () => {
  client = await connectClient(namespace);
});
afterAll(() => client.connection.close());

const register = (name: string): Promise<void> => ensureSearchAttributes(client.connection, name);

describe('ensureSearchAttributes', () => {
  it('leaves attributes that can be used at once, however many workers ask', async () => {
    await Promise.all([register(namespace), register(namespace), register(namespace)]);
    const key = defineSearchAttributeKey('ColonyPhase', 'KEYWORD');
    await client.workflow.start('Nothing', {
      workflowId: 'indexed',
      taskQueue: 'nobody',
      typedSearchAttributes: [{ key, value: 'Ready' }],
    });
    const found = async (): Promise<number> => (await client.workflow.count("ColonyPhase = 'Ready'")).count;
    await expect.poll(found, { timeout: 10_000 }).toBe(1);
  });

  it('registers only what is missing', async () => {
    await register(namespace);
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    expect(customAttributes).toMatchObject(searchAttributes);
  });

  it('refuses a namespace in which one of its names has another type', async () => {
    const other = leaseNamespace();
    const text = 1;
    await client.connection.operatorService.addSearchAttributes({ namespace: other, searchAttributes: { ColonyPhase: text } });
    await expect(register(other)).rejects.toThrow(SearchAttributeClash);
  });
});
