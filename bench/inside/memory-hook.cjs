// Loaded by --require into every thread of a worker: the SDK runs workflows in threads of its own, and a thread's heap can be
// collected and measured only from inside. Asked over a BroadcastChannel by memory.ts.
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');

if (!isMainThread) {
  const channel = new BroadcastChannel('colony-bench-memory');
  channel.onmessage = ({ data }) => {
    if (data !== 'measure') return;
    for (let i = 0; i < 3; i += 1) globalThis.gc();
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    channel.postMessage({ threadId, heapUsed, heapTotal, external });
  };
  channel.unref();
}
