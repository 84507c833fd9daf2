import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demux } from './demux.ts';

type Frame = readonly ['stdout' | 'stderr', string];

function bytesOf(frames: readonly Frame[]): Buffer {
  const parts = frames.map(([stream, text]) => {
    const data = Buffer.from(text);
    const header = Buffer.alloc(8);
    header[0] = stream === 'stderr' ? 2 : 1;
    header.writeUInt32BE(data.length, 4);
    return Buffer.concat([header, data]);
  });
  return Buffer.concat(parts);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size: number) {
  const read = { stdout: '', stderr: '' };
  const chunks: Record<string, Buffer[]> = { stdout: [], stderr: [] };
  for await (const { stream, data } of demux(inPieces(bytes, size))) chunks[stream]?.push(Buffer.from(data));
  read.stdout = Buffer.concat(chunks.stdout ?? []).toString();
  read.stderr = Buffer.concat(chunks.stderr ?? []).toString();
  return read;
}

describe('demux', () => {
  it('takes the streams apart, in whatever pieces they come', async () => {
    const frame = fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), fc.string({ maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(fc.array(frame), fc.integer({ min: 1, max: 60 }), async (frames, size) => {
        const said = (stream: string) =>
          frames
            .filter(([one]) => one === stream)
            .map(([, text]) => text)
            .join('');
        expect(await read(bytesOf(frames), size)).toEqual({ stdout: said('stdout'), stderr: said('stderr') });
      }),
    );
  });

  it('gives what came of a frame that breaks off', async () => {
    expect(
      await read(
        bytesOf([
          ['stdout', 'whole'],
          ['stderr', 'broken'],
        ]).subarray(0, -3),
        5,
      ),
    ).toEqual({ stdout: 'whole', stderr: 'bro' });
  });
});
