import { connect, type Socket } from 'node:net';
import { dataFrame, FRAME_HEAD_BYTES, type Frame, flag, frameIn, headersFrame, opening, pong, settingsAck, type } from './http2-frames.ts';

const MESSAGE_HEAD_BYTES = 5;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

interface Call {
  readonly chunks: Buffer[];
  readonly resolve: (message: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Single gRPC calls over one connection without TLS: just enough of HTTP/2 for that, because loading Node's own takes as long as
 * everything else that `colony get` does.
 *
 * Guarantees: answers with the server's message or throws; never with part of one. Headers are not looked at: an error has no
 * message, and that is what counts here.
 */
export class Grpc {
  readonly #socket: Socket;
  readonly #address: string;
  readonly #service: string;
  readonly #timeoutMs: number;
  readonly #calls = new Map<number, Call>();
  #rest: Buffer = Buffer.alloc(0);
  #nextStream = 1;

  constructor(address: string, service: string, timeoutMs: number) {
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
    this.#address = address;
    this.#service = service;
    this.#timeoutMs = timeoutMs;
    this.#socket = connect({ host, port: Number(port), noDelay: true });
    this.#socket.setTimeout(timeoutMs, () => this.#end(new Error('no answer in time')));
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end(new Error('the connection was closed')));
    this.#socket.on('data', (data) => this.#receive(data));
    this.#socket.write(opening);
  }

  call(method: string, request: Buffer): Promise<Buffer> {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const head = headersFrame(stream, [
      [':path', `/${this.#service}/${method}`],
      [':authority', this.#address],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['grpc-timeout', `${this.#timeoutMs}m`],
    ]);
    const prefix = Buffer.alloc(MESSAGE_HEAD_BYTES);
    prefix.writeUInt32BE(request.length, 1);
    return new Promise((resolve, reject) => {
      this.#calls.set(stream, { chunks: [], resolve, reject });
      this.#socket.write(Buffer.concat([head, dataFrame(stream, Buffer.concat([prefix, request]))]));
    });
  }

  /** The connection is of no more use. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    for (let frame = frameIn(this.#rest); frame; frame = frameIn(this.#rest)) {
      this.#rest = this.#rest.subarray(FRAME_HEAD_BYTES + frame.payload.length);
      this.#take(frame);
    }
    if (this.#rest.length > MAX_ANSWER_BYTES) this.#end(new RangeError('the answer is too large'));
  }

  #take(frame: Frame): void {
    if (frame.type === type.settings && !(frame.flags & flag.ack)) this.#socket.write(settingsAck);
    else if (frame.type === type.ping && !(frame.flags & flag.ack)) this.#socket.write(pong(frame.payload));
    else if (frame.type === type.goAway) this.#end(new Error('the server ends the connection'));
    const call = this.#calls.get(frame.stream);
    if (!call) return;
    if (frame.type === type.data) call.chunks.push(unpadded(frame));
    if (frame.type === type.reset) this.#settle(frame.stream, new Error('the server gave the call up'));
    else if ((frame.type === type.data || frame.type === type.headers) && frame.flags & flag.endStream) this.#settle(frame.stream);
  }

  #settle(stream: number, error?: Error): void {
    const call = this.#calls.get(stream);
    this.#calls.delete(stream);
    const body = Buffer.concat(call?.chunks ?? []);
    const isWhole = body.length >= MESSAGE_HEAD_BYTES && body[0] === 0 && body.length === MESSAGE_HEAD_BYTES + body.readUInt32BE(1);
    if (!error && isWhole) call?.resolve(body.subarray(MESSAGE_HEAD_BYTES));
    else call?.reject(error ?? new Error('the server refused the call'));
  }

  #end(error: Error): void {
    for (const stream of [...this.#calls.keys()]) this.#settle(stream, error);
    this.#socket.destroy();
  }
}

function unpadded({ flags, payload }: Frame): Buffer {
  return flags & flag.padded ? payload.subarray(1, payload.length - (payload[0] ?? 0)) : payload;
}
