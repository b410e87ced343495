// What a client sees when its server ends, is gone, and is there again; and the other way round.
import { strict as assert } from 'node:assert';

import { ask, details } from '../../../examples/node/chase.mjs';
import { deadline, ending, ENDLESS, failure, PATIENCE, quiet, status } from './helpers.mjs';

/** A stream that is open when the server ends. */
export async function server_ends(chase) {
  const call = quiet(chase.query.streamPerft(deadline()));
  const { code, metadata } = await ending(call.resume());
  assert.equal(code, status.UNAVAILABLE);
  const { ErrorInfo, RetryInfo } = details({ metadata });
  assert.equal(ErrorInfo.reason, 'UNAVAILABLE');
  assert.equal(RetryInfo.retryDelay.seconds, '1');
}

export async function server_gone(chase) {
  assert.equal((await failure(ask(chase.system, 'getVersion'))).code, status.UNAVAILABLE);
}

/** The same connection finds the server that came after. */
export async function reconnect(chase) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      return await ask(chase.system, 'getVersion');
    } catch (error) {
      assert.equal(error.code, status.UNAVAILABLE);
      assert.ok(Date.now() < end);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Calls under way for as long as the client is there. */
export async function endless(chase) {
  const request = { playerA: 'mcts:sims=1000000', playerB: 'greedy', generated: { count: 10 } };
  const calls = [chase.query.streamPerft(deadline()), chase.games.playGames(request, deadline())];
  calls[0].write({ batch: ENDLESS });
  calls.forEach((call) => quiet(call).resume());
  await ask(chase.query, 'perft', ENDLESS);
}
