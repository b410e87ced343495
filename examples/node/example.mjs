// What the service can be asked from Node:
//
//   npm install
//   node example.mjs 127.0.0.1:50051
import { ask, connect, details } from './chase.mjs';

const target = process.argv[2] ?? '127.0.0.1:50051';
const chase = connect(target);

// What this server is, and the most that it takes.
const { players, limits } = await ask(chase.system, 'getVersion').catch((error) => {
  console.error(`the server ${target} does not answer: ${error.details}`);
  process.exit(1);
});
console.log(`players: ${players.join(', ')}; ${limits.items} items in a batch`);

// Many positions in one call; an empty one is the start. The decisions of all come in one column.
const positions = ['', 'nonsense', ''];
const legal = await ask(chase.query, 'legalDecisions', { positions, withTexts: true });
console.log(`decisions: ${legal.counts.join(', ')}; the first is ${legal.texts[0]}`);
for (const error of legal.errors) {
  console.log(`item ${error.item} has none: ${error.message}`);
}

const applied = await ask(chase.query, 'apply', { positions: [''], texts: ['a5NE'] });
console.log(`after a5NE: ${applied.positions[0]}`);

const { results } = await ask(chase.query, 'playouts', { items: [{ games: 1000, seed: 7 }] });
console.log(`random games: red wins ${results[0].redWins}, blue ${results[0].blueWins}`);

// Games arrive when they are finished. Whoever has seen enough calls `games.cancel()`.
const games = chase.games.playGames({
  playerA: 'ab:nodes=200',
  playerB: 'greedy',
  generated: { count: 1 },
  seed: 1,
});
for await (const pair of games) {
  const sides = pair.winners.map((winner) => ({ '-1': 'nobody', 0: 'red', 1: 'blue' })[winner]);
  console.log(`pair ${pair.pairs[0]}: won by ${sides.join(' and ')}, ${pair.turns.join(' and ')} turns`);
}

// A call that fails says why, for people and for programs.
try {
  await ask(chase.query, 'perft', { items: [{ depth: 99 }], failFast: true });
} catch (error) {
  const { ErrorInfo, BadRequest } = details(error);
  console.log(`code ${error.code}, ${ErrorInfo.reason}: ${error.details}`);
  console.log(`field: ${BadRequest.fieldViolations[0].field}`);
}

chase.close();
