import { expect, it } from 'vitest';
import { troubleOf } from './trouble.ts';

it.each([
  {
    name: 'nobody listens',
    message:
      'tonic::transport::Error(Transport, ConnectError(ConnectError("tcp connect error", 127.0.0.1:9, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" })))',
    said: 'Temporal does not answer at t:7233',
  },
  {
    name: 'nobody knows the host',
    message:
      'tonic::transport::Error(Transport, ConnectError(ConnectError("dns error", Custom { kind: Uncategorized, error: "failed to lookup address information: Name or service not known" })))',
    said: 'Temporal does not answer at t:7233: nobody knows that host',
  },
  { name: 'something else is wrong', message: 'Namespace x is not found', said: 'Temporal at t:7233: Namespace x is not found' },
])('says for people what keeps a worker from Temporal: $name', ({ message, said }) => expect(troubleOf(message, 't:7233')).toBe(said));
