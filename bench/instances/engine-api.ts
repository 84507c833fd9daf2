import { Agent, request } from 'node:http';

/** Plain questions to a Docker engine: what anybody would write without colony. */
export class EngineApi {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly socket: string) {}

  /** Throws what the engine said when it refused. */
  ask<T = unknown>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
    return new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const headers = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const sent = request({ socketPath: this.socket, agent: this.agent, method, path, headers }, (answer) => {
        let heard = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          heard += chunk;
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const { statusCode = 0 } = answer;
          if (statusCode >= 400) reject(new Error(`${method} ${path}: ${statusCode} ${heard.trim()}`));
          else resolve((heard.trim() === '' ? undefined : JSON.parse(heard)) as T);
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
