// Makes the images that tests run, from the machine's static busybox, through the Engine API: no registry, no docker CLI.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';

/** Of the same content, but not the same image; the last stands in for the one of that name, which examples use and nobody can pull here. */
export const TEST_IMAGES = ['colony-test:v1', 'colony-test:v2', 'busybox:1.36'];

const BLOCK = 512;
const PT_INTERP = 3;
/** Runs until it is asked to end, and then ends at once; `sleep` as the first process of a container would not. */
const STAY = '#!/bin/sh\ntrap "exit 0" TERM INT\necho ready\nwhile :; do sleep 3600 & wait $!; done\n';

/** Imports what is missing of them. Throws one sentence for a person when it cannot. */
export async function buildTestImages(socket) {
  let archive;
  for (const image of TEST_IMAGES) {
    if ((await call(socket, 'GET', `/images/${image}/json`)).status === 200) continue;
    archive ??= pack();
    const [repo, tag] = image.split(':');
    const query = new URLSearchParams({ fromSrc: '-', repo, tag });
    for (const change of ['CMD ["stay"]', 'ENV PATH=/bin', `LABEL colony-test.version=${tag}`]) query.append('changes', change);
    const { status, text } = await call(socket, 'POST', `/images/create?${query}`, archive);
    if (status !== 200 || text.includes('"error"')) throw new Error(`${image} cannot be made: ${text.trim()}`);
  }
}

function pack() {
  const path = spawnSync('which', ['busybox'], { encoding: 'utf8' }).stdout.trim();
  if (!path) throw new Error('not installed: busybox');
  const busybox = readFileSync(path);
  if (isDynamic(busybox)) throw new Error('the busybox here needs libraries; install busybox-static');
  const applets = spawnSync(path, ['--list'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((name) => name && name !== 'busybox');
  return Buffer.concat([
    ...['bin', 'etc', 'root', 'tmp', 'var'].map((name) => entry({ name: `${name}/`, mode: name === 'tmp' ? 0o1777 : 0o755, type: '5' })),
    entry({ name: 'bin/busybox', mode: 0o755, content: busybox }),
    entry({ name: 'bin/stay', mode: 0o755, content: Buffer.from(STAY) }),
    entry({ name: 'etc/passwd', content: Buffer.from('root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n') }),
    entry({ name: 'etc/group', content: Buffer.from('root:x:0:\nnogroup:x:65534:\n') }),
    ...applets.map((name) => entry({ name: `bin/${name}`, mode: 0o777, type: '2', target: 'busybox' })),
    Buffer.alloc(2 * BLOCK),
  ]);
}

/** One member of a ustar archive. */
function entry({ name, mode = 0o644, type = '0', target = '', content = Buffer.alloc(0) }) {
  const header = Buffer.alloc(BLOCK);
  const octal = (value, at, length) => header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(name, 0, 100, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8); // owner and group: root
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(0, 136, 12); // the same content, whenever it is made
  header.fill(' ', 148, 156);
  header.write(type, 156, 'latin1');
  header.write(target, 157, 100, 'utf8');
  header.write('ustar\0' + '00', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}

/** Whether an ELF file wants an interpreter, and so libraries that the image has not. */
function isDynamic(file) {
  if (file.toString('latin1', 1, 4) !== 'ELF' || file[4] !== 2) return false;
  const isLittle = file[5] === 1;
  const u16 = (at) => (isLittle ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const u32 = (at) => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  const table = Number(isLittle ? file.readBigUInt64LE(32) : file.readBigUInt64BE(32));
  return Array.from({ length: u16(56) }, (_, index) => u32(table + index * u16(54))).includes(PT_INTERP);
}

function call(socketPath, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body ? { 'content-type': 'application/x-tar', 'content-length': body.length } : {};
    const sent = request({ socketPath, method, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
