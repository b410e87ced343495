// Clients of the service, made of its contract when the program starts. Copy this file, status.proto
// and the folder proto/chase, and say where that is if it is not two folders up.
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const PROTOS = fileURLToPath(new URL('../../proto', import.meta.url));
const STATUS = fileURLToPath(new URL('status.proto', import.meta.url));

// Fields in camelCase; 64-bit numbers as texts, since a number of JavaScript has 53 bits.
const OPTIONS = { longs: String, enums: String, defaults: true, oneofs: true };

/**
 * Clients of a server: `query`, `games`, `jobs` and `system`, which share one connection. It is plain
 * text unless `credentials` says otherwise, such as `grpc.credentials.createSsl(root, key, cert)`. A
 * `token` goes with each call.
 */
export function connect(target, { protos = PROTOS, credentials, token, ...channel } = {}) {
  const files = ['query', 'games', 'jobs', 'system'].map((name) => `chase/v1/${name}_service.proto`);
  const definition = loader.loadSync(files, { ...OPTIONS, includeDirs: [protos] });
  const { v1 } = grpc.loadPackageDefinition(definition).chase;
  const how = credentials ?? grpc.credentials.createInsecure();
  const bear = (options, next) =>
    new grpc.InterceptingCall(next(options), {
      start: (metadata, listener, go) => {
        metadata.set('authorization', `Bearer ${token}`);
        go(metadata, listener);
      },
    });
  const interceptors = token === undefined ? [] : [bear];
  const query = new v1.QueryService(target, how, { ...channel, interceptors });
  const shared = [target, how, { channelOverride: query.getChannel(), interceptors }];
  return {
    query,
    games: new v1.GamesService(...shared),
    jobs: new v1.JobsService(...shared),
    system: new v1.SystemService(...shared),
    close: () => query.close(),
  };
}

/** The answer of a call without streams, which gets so many seconds. */
export function ask(client, method, request = {}, { seconds = 60 } = {}) {
  return promisify(client[method].bind(client))(request, { deadline: Date.now() + 1000 * seconds });
}

const known = loader.loadSync(STATUS, OPTIONS);

/** What an error tells programs, by kind: `ErrorInfo`, and `BadRequest` and `RetryInfo` if due. */
export function details(error) {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  const status = bytes && known['google.rpc.Status'].deserialize(bytes);
  const found = (status?.details ?? []).map(({ type_url: url, value }) => {
    const name = url.split('/').at(-1);
    return [name.split('.').at(-1), known[name]?.deserialize(value)];
  });
  return Object.fromEntries(found);
}
