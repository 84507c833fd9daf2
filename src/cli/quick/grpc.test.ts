import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Grpc } from './grpc.ts';

/** Node's own HTTP/2 is the judge of ours. */
let server: Http2Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

type Answer = (stream: ServerHttp2Stream, request: Buffer, headers: Readonly<Record<string, unknown>>) => void;

async function serve(answer: Answer): Promise<Grpc> {
  server = createServer();
  server.on('session', (session) => session.ping(() => {}));
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => answer(stream, Buffer.concat(chunks).subarray(5), headers));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return new Grpc(`127.0.0.1:${(server.address() as AddressInfo).port}`, 'a.Service', 2_000);
}

function reply(stream: ServerHttp2Stream, message: Buffer): void {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([head, message]));
}

describe('Grpc', () => {
  it('calls a real HTTP/2 server, several times over one connection', async () => {
    const seen: unknown[] = [];
    const grpc = await serve((stream, request, headers) => {
      seen.push([headers[':method'], headers[':path'], headers['content-type'], headers.te]);
      reply(stream, Buffer.from(`${request}!`));
    });
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => grpc.call('Echo', Buffer.from(text))));
    expect(answers.map(String)).toEqual(['a!', 'b!', 'c!']);
    expect(String(await grpc.call('Echo', Buffer.from('x'.repeat(10_000))))).toHaveLength(10_001);
    expect(seen[0]).toEqual(['POST', '/a.Service/Echo', 'application/grpc', 'trailers']);
    grpc.close();
  });

  it('takes answers of many megabytes', async () => {
    const big = Buffer.alloc(12_000_000, 'x');
    const grpc = await serve((stream) => reply(stream, big));
    expect((await grpc.call('Big', Buffer.alloc(0))).equals(big)).toBe(true);
    grpc.close();
  });

  it.each<{ name: string; answer: Answer }>([
    { name: 'an error status', answer: (stream) => stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true }) },
    { name: 'no gRPC at all', answer: (stream) => stream.respond({ ':status': 404 }, { endStream: true }) },
    { name: 'a reset', answer: (stream) => stream.close(2) },
    {
      name: 'half a message',
      answer: (stream) => {
        stream.respond({ ':status': 200 });
        stream.end(Buffer.from([0, 0, 0, 0, 9, 1]));
      },
    },
    { name: 'the end of the connection', answer: (stream) => stream.session?.destroy() },
  ])('throws for $name', async ({ answer }) => {
    const grpc = await serve(answer);
    await expect(grpc.call('Fail', Buffer.alloc(0))).rejects.toThrow();
    grpc.close();
  });

  it('throws when the server is silent, is none, or speaks something else', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => {}));
    const chatty = createTcpServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    for (const tcp of [silent, chatty]) {
      await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
      const { port } = tcp.address() as AddressInfo;
      await expect(new Grpc(`127.0.0.1:${port}`, 'a.Service', 100).call('Any', Buffer.alloc(0))).rejects.toThrow();
      tcp.close();
    }
    await expect(new Grpc('127.0.0.1:1', 'a.Service', 100).call('Any', Buffer.alloc(0))).rejects.toThrow();
  });

  it('does not send what does not fit into one frame', async () => {
    const grpc = await serve((stream) => reply(stream, Buffer.alloc(0)));
    await expect(grpc.call('Large', Buffer.alloc(20_000))).rejects.toThrow(RangeError);
    grpc.close();
  });
});
