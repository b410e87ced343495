// What the cases share: how calls are made and how they end.
import { strict as assert } from 'node:assert';

import grpc from '@grpc/grpc-js';

export const { status } = grpc;

// What tells a hang from a slow machine.
export const PATIENCE = 60_000;

// Takes hours.
export const ENDLESS = { items: [{ depth: 12 }] };

export const deadline = (milliseconds = PATIENCE) => ({ deadline: Date.now() + milliseconds });

/** The error with which a promise has to end. */
export async function failure(promise) {
  let answer;
  try {
    answer = await promise;
  } catch (error) {
    return error;
  }
  return assert.fail(`answered with ${JSON.stringify(answer).slice(0, 200)}`);
}

/** All messages of a stream of responses. */
export async function all(stream) {
  const messages = [];
  for await (const message of stream) {
    messages.push(message);
  }
  return messages;
}

/** How a call ended, as gRPC says it: code, text and trailers. */
export const ending = (call) => new Promise((resolve) => call.on('status', resolve));

export const quiet = (call) => call.on('error', () => {});

/** One message of a stream, or undefined at its end. */
export function messages(call) {
  const iterator = call[Symbol.asyncIterator]();
  return async () => (await iterator.next()).value;
}

/** A unary call of any path with any bytes. */
export function raw(chase, path, bytes, options = deadline()) {
  const pass = (data) => data;
  return new Promise((resolve, reject) => {
    const done = (error, answer) => (error ? reject(error) : resolve(answer));
    const metadata = new grpc.Metadata();
    chase.system.makeUnaryRequest(path, pass, pass, bytes, metadata, options, done);
  });
}
