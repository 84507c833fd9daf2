import { createServer, type Server } from 'node:http';

/** Says on loopback whether the process is ready for work: `GET /healthz` answers 200 or 503. */
export function serveHealth(port: number, isReady: () => boolean): Server {
  const server = createServer((request, response) => {
    const [status, word] = request.url !== '/healthz' ? [404, 'not found'] : isReady() ? [200, 'ready'] : [503, 'waiting for Temporal'];
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${word}\n`);
  });
  server.unref();
  return server.listen(port, '127.0.0.1');
}
