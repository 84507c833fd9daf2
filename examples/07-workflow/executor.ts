import { defineExecutor, type StepFunction } from 'colony/executor';

interface Order {
  readonly region: string;
  readonly amount: number;
}

const REGIONS = ['north', 'south', 'east'];

/** What a function returns are the outputs of its step: `${steps.fetch.outputs.count}`. */
const fetchOrders: StepFunction = async ({ kwargs }) => {
  const orders = Array.from({ length: Number(kwargs.limit) }, (_, i) => ({ region: REGIONS[i % REGIONS.length], amount: 10 + i }));
  return { count: orders.length, orders };
};

const sumUp: StepFunction = async ({ kwargs }) => {
  const own = (kwargs.orders as readonly Order[]).filter(({ region }) => region === kwargs.region);
  return { total: own.reduce((sum, { amount }) => sum + amount, 0) };
};

/** A try may be repeated after a crash: whoever publishes twice under one key publishes once. */
const published = new Map<string, string>();

const publish: StepFunction = async ({ kwargs, idempotencyKey }) => {
  const page = published.get(idempotencyKey) ?? `page-${published.size + 1}: ${kwargs.headline} (${kwargs.count} orders)`;
  published.set(idempotencyKey, page);
  return { page };
};

const tell: StepFunction = async ({ run, kwargs }) => {
  console.log(`${run}: ${kwargs.how}`);
};

export default defineExecutor({
  executorType: 'orders',
  steps: { fetch_orders: fetchOrders, sum_up: sumUp, publish, tell },
});
