// Cases modelled on gRPC's interoperability tests (doc/interop-test-descriptions.md of grpc), with
// their names where they are the same. Those about credentials of a cloud and about caching have no
// counterpart here; neither has client_streaming, since no call of the contract has a stream of
// requests with one response: `half_close_before_first_response` is nearest to it.
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';

import grpc from '@grpc/grpc-js';

import { ask, details } from '../../../examples/node/chase.mjs';
import {
  all, deadline, ending, ENDLESS, failure, messages, quiet, raw, status,
} from './helpers.mjs';

// Its decisions and their texts take many bytes.
const WORDY = '2aacdb2/5ccc1/6c2/7b1/9/9/9/4C1C1A/A2BECDC1 b - 1/0';

const batchOf = (count) => ({ batch: { positions: Array(count).fill('') } });

// ---- Requests and responses ----------------------------------------------------------------------

export async function empty_unary(chase) {
  const { version, rules } = await ask(chase.system, 'getVersion');
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.ok(rules.some(({ name }) => name === 'standard'));
  assert.ok((await raw(chase, '/chase.v1.SystemService/GetVersion', Buffer.alloc(0))).length > 0);
}

/** A request as large as they may be; none of its positions is one, and each says so. */
export async function large_request(chase) {
  const { limits } = await ask(chase.system, 'getVersion');
  const positions = Array(limits.items).fill('x'.repeat(limits.requestBytes / limits.items - 8));
  const answer = await ask(chase.query, 'legalDecisions', { positions });
  assert.equal(answer.errors.length, limits.items);
  assert.ok(answer.errors.every(({ item, reason }, at) => {
    return item === at && reason === 'ERROR_REASON_INVALID_POSITION';
  }));
}

/** The largest response that fits is given; one position more, and the batch is refused. */
export async function large_response(chase) {
  const { limits } = await ask(chase.system, 'getVersion');
  const request = (count) => ({ positions: Array(count).fill(WORDY), withTexts: true, withStates: true });
  const size = async (count) => {
    const { requestSerialize, path } = chase.query.legalDecisions;
    return (await raw(chase, path, requestSerialize(request(count)))).length;
  };
  const each = (await size(1001)) - (await size(1000));
  const most = Math.floor(limits.responseBytes / each) - 1;
  assert.ok((await size(most)) > 0.99 * limits.responseBytes);
  const answer = await ask(chase.query, 'legalDecisions', request(most));
  assert.equal(answer.texts.length, most * answer.counts[0]);
  const error = await failure(ask(chase.query, 'legalDecisions', request(most + 3)));
  assert.equal(error.code, status.OUT_OF_RANGE);
  assert.equal(details(error).ErrorInfo.reason, 'OVER_LIMIT');
}

export async function oversized_request(chase) {
  const { limits } = await ask(chase.system, 'getVersion');
  const positions = ['x'.repeat(limits.requestBytes + 1)];
  const error = await failure(ask(chase.query, 'legalDecisions', { positions }));
  assert.equal(error.code, status.RESOURCE_EXHAUSTED);
  // Others on the same connection do not suffer.
  assert.equal((await ask(chase.query, 'perft', { items: [{ depth: 1 }] })).counts[0], '46');
}

export async function concurrent_large_unary(chase) {
  const request = { positions: Array(1000).fill('') };
  const one = () => ask(chase.query, 'legalDecisions', request);
  const answers = await Promise.all(Array.from({ length: 50 }, one));
  assert.ok(answers.every(({ decisions }) => decisions.length === 46_000));
}

/**
 * More than the server takes on one connection. The client keeps the rest back, but it may count a
 * call as ended before the server does: what the server refuses then can be tried again.
 */
export async function over_max_concurrent_streams(chase) {
  const one = async () => {
    try {
      return await ask(chase.system, 'getVersion');
    } catch (error) {
      assert.equal(error.code, status.UNAVAILABLE);
      return one();
    }
  };
  const answers = await Promise.all(Array.from({ length: 1500 }, one));
  assert.ok(answers.every(({ version }) => version));
}

export async function client_compressed_unary(chase) {
  const channel = chase.query.getChannel();
  const packed = new chase.query.constructor(
    channel.getTarget().replace(/^dns:/, ''),
    grpc.credentials.createInsecure(),
    { 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip },
  );
  const answer = await ask(packed, 'legalDecisions', { positions: Array(4096).fill('') });
  packed.close();
  assert.equal(answer.decisions.length, 4096 * 46);
}

/** 64-bit numbers arrive as they are. */
export async function large_numbers(chase) {
  const item = { games: 1, seed: '18446744073709551615', firstGame: '18446744073709551615' };
  const [message] = await all(chase.query.streamPlayoutGames({ item }, deadline()));
  assert.equal(message.firstGame, item.firstGame);
  assert.equal(message.turns.length, 1);
}

// ---- Streams -------------------------------------------------------------------------------------

export async function server_streaming(chase) {
  const request = { item: { games: 3500, seed: 1 }, batch: 1000 };
  const found = await all(chase.query.streamPlayoutGames(request, deadline()));
  assert.deepEqual(found.map(({ turns }) => turns.length), [1000, 1000, 1000, 500]);
  assert.deepEqual(found.map(({ firstGame }) => firstGame), ['0', '1000', '2000', '3000']);
}

export async function ping_pong(chase) {
  const call = chase.query.streamLegalDecisions(deadline());
  const next = messages(call);
  for (const count of [1000, 1, 50, 4096]) {
    call.write(batchOf(count));
    assert.equal((await next()).batch.counts.length, count);
  }
  call.end();
  assert.equal(await next(), undefined);
}

export async function empty_stream(chase) {
  const call = chase.query.streamApply(deadline());
  const ended = ending(call);
  call.end();
  assert.deepEqual(await all(call), []);
  assert.equal((await ended).code, status.OK);
}

/** All requests first, then the end of them, then the responses. */
export async function half_close_before_first_response(chase) {
  const call = chase.query.streamPerft(deadline());
  for (const depth of [4, 0, 3, 1]) {
    call.write({ batch: { items: [{ depth }] } });
  }
  call.end();
  const counts = (await all(call)).map(({ batch }) => batch.counts[0]);
  assert.deepEqual(counts, ['4302438', '1', '95578', '46']);
}

/** The client has ended its half while the server has most of its own to send. */
export async function half_close_between_responses(chase) {
  const call = chase.query.streamLegalDecisions(deadline());
  const next = messages(call);
  for (let batch = 0; batch < 20; batch += 1) {
    call.write(batchOf(1000));
  }
  assert.equal((await next()).batch.decisions.length, 46_000);
  call.end();
  for (let batch = 1; batch < 20; batch += 1) {
    assert.equal((await next()).batch.decisions.length, 46_000);
  }
  assert.equal(await next(), undefined);
}

/** The server ends both halves with a status while the client has its own open. */
export async function server_ends_first(chase) {
  const call = quiet(chase.query.streamPerft(deadline()));
  const ended = ending(call);
  call.write({});
  call.resume();
  const { code, metadata } = await ended;
  assert.equal(code, status.INVALID_ARGUMENT);
  assert.equal(details({ metadata }).ErrorInfo.reason, 'INVALID_FIELD');
}

/** A response that nobody reads keeps the others back; read at last, all are there. */
export async function slow_reader(chase) {
  const call = chase.query.streamPlayoutGames({ item: { games: 50_000 }, batch: 10_000 }, deadline());
  const next = messages(call);
  let games = (await next()).turns.length;
  // Other calls on the connection pass the one that is held up.
  assert.equal((await ask(chase.query, 'perft', { items: [{ depth: 2 }] })).counts[0], '2114');
  for (let message = await next(); message; message = await next()) {
    games += message.turns.length;
  }
  assert.equal(games, 50_000);
}

// ---- Early ends ----------------------------------------------------------------------------------

export async function cancel_after_begin(chase) {
  const call = quiet(chase.query.streamPerft(deadline()));
  const ended = ending(call);
  setTimeout(() => call.cancel(), 20);
  assert.equal((await ended).code, status.CANCELLED);
}

/** Cancelled this early the call is begun on the wire, but not ended: the server has the deadline. */
export async function cancel_at_once(chase) {
  const call = quiet(chase.query.streamPerft(deadline(200)));
  const ended = ending(call);
  call.cancel();
  assert.equal((await ended).code, status.CANCELLED);
}

export async function cancel_before_response(chase) {
  const call = quiet(chase.query.streamPerft(deadline()));
  const ended = ending(call);
  await new Promise((resolve) => call.write({ batch: ENDLESS }, resolve));
  call.cancel();
  assert.equal((await ended).code, status.CANCELLED);
}

export async function cancel_unary(chase) {
  const ended = new Promise((resolve) => {
    const call = chase.query.perft(ENDLESS, deadline(), resolve);
    setTimeout(() => call.cancel(), 20);
  });
  assert.equal((await ended).code, status.CANCELLED);
}

export async function cancel_after_first_response(chase) {
  const request = { playerA: 'greedy', playerB: 'random', generated: { count: 10_000 } };
  const game = quiet(chase.games.playGames(request, deadline()));
  const games = ending(game);
  game.once('data', () => game.cancel());
  assert.equal((await games).code, status.CANCELLED);

  const call = quiet(chase.query.streamPerft(deadline()));
  const ended = ending(call);
  call.once('data', () => {
    call.write({ batch: ENDLESS }, () => call.cancel());
  });
  call.write({ batch: { items: [{ depth: 1 }] } });
  assert.equal((await ended).code, status.CANCELLED);
}

export async function timeout_on_sleeping_server(chase) {
  for (const milliseconds of [-1000, 1, 200]) {
    const unary = failure(ask(chase.query, 'perft', ENDLESS, { seconds: milliseconds / 1000 }));
    const call = quiet(chase.query.streamPerft(deadline(milliseconds)));
    const ended = ending(call);
    call.write({ batch: ENDLESS });
    call.resume();
    assert.equal((await ended).code, status.DEADLINE_EXCEEDED);
    assert.equal((await unary).code, status.DEADLINE_EXCEEDED);
  }
}

export async function timeout_of_an_idle_stream(chase) {
  const call = quiet(chase.query.streamApply(deadline(50)));
  assert.equal((await ending(call.resume())).code, status.DEADLINE_EXCEEDED);
}

// ---- Status --------------------------------------------------------------------------------------

export async function status_code_and_message(chase) {
  const request = { positions: ['nonsense'], texts: ['a1E'], failFast: true };
  const unary = await failure(ask(chase.query, 'apply', request));
  const call = quiet(chase.query.streamApply(deadline()));
  const ended = ending(call);
  call.end({ batch: request });
  call.resume();
  for (const error of [unary, await ended]) {
    assert.equal(error.code, status.INVALID_ARGUMENT);
    assert.match(error.details, /^item 0: 'n' at offset 0 in row i/);
    const { ErrorInfo, BadRequest } = details(error);
    assert.deepEqual(ErrorInfo, { reason: 'INVALID_POSITION', domain: 'chase-fast', metadata: {} });
    const [violation] = BadRequest.fieldViolations;
    assert.deepEqual(violation, { field: 'positions', description: error.details });
  }
}

/** Whatever the text of a caller holds, what is told of it is plain and arrives as it was sent. */
export async function special_status_message(chase) {
  const texts = ['\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n', '%', '%41%zz"\\'];
  for (const text of texts) {
    const request = { items: [{ player: `ab:${text}` }], failFast: true };
    const error = await failure(ask(chase.query, 'analyse', request));
    assert.match(error.details, /^[ -~]{1,300}$/);
    assert.equal(details(error).BadRequest.fieldViolations[0].description, error.details);
  }
  const error = await failure(ask(chase.query, 'legalDecisions', { positions: ['%'], failFast: true }));
  assert.match(error.details, /^item 0: '%' at offset 0/);
}

export async function every_kind_of_refusal(chase) {
  const games = (playerA) => all(chase.games.playGames({ playerA, playerB: 'random' }, deadline()));
  const apply = (texts) => ask(chase.query, 'apply', { positions: [''], texts, failFast: true });
  const refusals = [
    [() => games('ext:cmd=sh'), status.PERMISSION_DENIED, 'PLAYER_REFUSED'],
    [() => games('ab:x=1'), status.INVALID_ARGUMENT, 'INVALID_PLAYER'],
    [() => apply(['a1SE']), status.FAILED_PRECONDITION, 'ILLEGAL_DECISION'],
    [() => apply(['b']), status.INVALID_ARGUMENT, 'INVALID_DECISION'],
    [() => ask(chase.query, 'perft', {}), status.INVALID_ARGUMENT, 'INVALID_FIELD'],
    [() => ask(chase.jobs, 'getJob', { jobId: 'X' }), status.NOT_FOUND, 'NOT_FOUND'],
  ];
  for (const [call, code, reason] of refusals) {
    const error = await failure(call());
    assert.equal(error.code, code);
    assert.equal(details(error).ErrorInfo.reason, reason);
  }
}

export async function bytes_that_are_no_message(chase) {
  const paths = [
    chase.query.perft.path,
    chase.jobs.createJob.path,
    '/grpc.health.v1.Health/Check',
  ];
  for (const path of paths) {
    const error = await failure(raw(chase, path, Buffer.from([0xff])));
    assert.equal(error.code, status.INVALID_ARGUMENT);
    assert.equal(details(error).ErrorInfo.reason, 'INVALID_MESSAGE');
  }
}

export async function unimplemented_method(chase) {
  for (const path of ['/chase.v1.QueryService/Unimplemented', '/grpc.health.v1.Health/List']) {
    assert.equal((await failure(raw(chase, path, Buffer.alloc(0)))).code, status.UNIMPLEMENTED);
  }
}

export async function unimplemented_service(chase) {
  const path = '/chase.v1.NoService/Unimplemented';
  assert.equal((await failure(raw(chase, path, Buffer.alloc(0)))).code, status.UNIMPLEMENTED);
}

// ---- Metadata ------------------------------------------------------------------------------------

/** What the server does not know it passes over. */
export async function custom_metadata(chase) {
  const metadata = new grpc.Metadata();
  metadata.set('x-grpc-test-echo-initial', 'test_initial_metadata_value');
  metadata.set('x-grpc-test-echo-trailing-bin', Buffer.from([0xab, 0xab, 0xab]));
  metadata.set('x-large', 'x'.repeat(6000));
  const call = chase.query.streamPerft(metadata, deadline());
  const [initial, ended] = [new Promise((resolve) => call.on('metadata', resolve)), ending(call)];
  call.end({ batch: { items: [{ depth: 1 }] } });
  assert.equal((await all(call))[0].batch.counts[0], '46');
  for (const answered of [await initial, (await ended).metadata]) {
    assert.ok(Object.keys(answered.getMap()).every((key) => !key.startsWith('x-')));
  }
}

export async function metadata_that_are_too_large(chase) {
  const metadata = new grpc.Metadata();
  metadata.set('x-large', 'x'.repeat(40_000));
  const error = await failure(new Promise((resolve, reject) => {
    const done = (failed, answer) => (failed ? reject(failed) : resolve(answer));
    chase.system.getVersion({}, metadata, deadline(), done);
  }));
  assert.equal(error.code, status.RESOURCE_EXHAUSTED);
  await empty_unary(chase);
}

// ---- Long work -----------------------------------------------------------------------------------

/** A job, from its creation to its files. */
export async function job(chase) {
  const spec = { seed: 3, selfPlay: { player: 'random', pairs: 20 } };
  const request = { requestId: 'from-node', spec };
  const { job: created } = await ask(chase.jobs, 'createJob', request);
  const again = await ask(chase.jobs, 'createJob', request);
  assert.ok(again.known);
  assert.equal(again.job.jobId, created.jobId);
  const { jobId } = created;
  const watched = await all(chase.jobs.watchJob({ jobId }, deadline()));
  const { job: last } = watched.at(-1);
  assert.equal(last.state, 'JOB_STATE_SUCCEEDED');
  const file = last.files.find(({ name }) => name === 'games.parquet');
  const pieces = await all(chase.jobs.downloadResult({ jobId, name: file.name }, deadline()));
  const data = Buffer.concat(pieces.map((piece) => piece.data));
  assert.equal(String(data.length), file.bytes);
  assert.equal(createHash('sha256').update(data).digest('hex'), file.sha256);
  await ask(chase.jobs, 'deleteJob', { jobId });
  assert.equal((await failure(ask(chase.jobs, 'getJob', { jobId }))).code, status.NOT_FOUND);
}

/** One who watches a job and goes away does not end it. */
export async function cancel_watching(chase) {
  const spec = { selfPlay: { player: 'ab:nodes=3000', pairs: 10_000 } };
  const { job: { jobId } } = await ask(chase.jobs, 'createJob', { spec });
  const call = quiet(chase.jobs.watchJob({ jobId }, deadline()));
  const ended = ending(call);
  call.once('data', () => call.cancel());
  assert.equal((await ended).code, status.CANCELLED);
  const { job: found } = await ask(chase.jobs, 'getJob', { jobId });
  assert.ok(['JOB_STATE_QUEUED', 'JOB_STATE_RUNNING'].includes(found.state));
  await ask(chase.jobs, 'cancelJob', { jobId });
  const watched = await all(chase.jobs.watchJob({ jobId }, deadline()));
  assert.equal(watched.at(-1).job.state, 'JOB_STATE_CANCELLED');
}
