// Runs cases against a server: reads their names from the standard input, one a line, and writes a
// line of JSON for each as it ends.
//
//   node main.mjs 127.0.0.1:50051
import { createInterface } from 'node:readline';

import { ask, connect } from '../../../examples/node/chase.mjs';
import * as cases from './cases.mjs';
import * as restart from './restart.mjs';

const all = { ...cases, ...restart };

const chase = connect(process.argv[2]);

for await (const name of createInterface({ input: process.stdin })) {
  const line = { case: name };
  try {
    if (name === 'cases') {
      line.cases = Object.keys(cases);
    } else {
      await all[name](chase);
      if (name in cases) {
        // Answered after all that the case has sent: the server knows of all its calls then.
        await ask(chase.system, 'getVersion');
      }
    }
    line.passed = true;
  } catch (error) {
    line.passed = false;
    line.error = error.stack;
  }
  console.log(JSON.stringify(line));
}
chase.close();
