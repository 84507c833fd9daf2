import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader, frame, jsonFrame, jsonIn, MAX_FRAME_BYTES, type StreamName } from './frames.ts';

const streams: StreamName[] = ['stdin', 'stdout', 'stderr', 'resize', 'exit', 'error', 'request', 'endInput'];

describe('frames', () => {
  it('come out as they went in, wherever the bytes were cut', () => {
    const sent = fc.array(fc.tuple(fc.constantFrom(...streams), fc.uint8Array({ maxLength: 40 })), { maxLength: 8 });
    fc.assert(
      fc.property(sent, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(([stream, data]) => frame(stream, data)));
        const reader = new FrameReader();
        const found = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const length = cuts[i % cuts.length] ?? 1;
          found.push(...reader.push(bytes.subarray(at, at + length)));
          at += length;
        }
        expect(found.map(({ stream, data }) => [stream, [...data]])).toEqual(frames.map(([stream, data]) => [stream, [...data]]));
        expect(reader.isBroken).toBe(false);
      }),
    );
  });

  it('are cut when the data is long, and begin with stream and length', () => {
    expect([...frame('stderr', Buffer.from('ab'))]).toEqual([2, 0, 0, 0, 2, 97, 98]);
    const found = new FrameReader().push(frame('stdout', Buffer.alloc(MAX_FRAME_BYTES + 1)));
    expect(found.map(({ data }) => data.length)).toEqual([MAX_FRAME_BYTES, 1]);
  });

  it('say when something else came', () => {
    expect(() => new FrameReader().push(Buffer.from('HTTP/1.1 400'))).toThrow('no frames');
    expect(() => jsonIn({ stream: 'exit', data: Buffer.from('null') })).toThrow('no JSON object');
    const reader = new FrameReader();
    reader.push(jsonFrame('exit', { code: 1 }).subarray(0, 8));
    expect(reader.isBroken).toBe(true);
  });
});
