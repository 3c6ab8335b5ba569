// Calls the daemon's methods by the Connect protocol (https://connectrpc.com/docs/protocol), in protobuf's binary form.

import { methods } from './generated/messages.js';
import { decode, encode } from './wire.js';

const END_OF_STREAM = 2;

/** How long a call may take that others wait for, in milliseconds. A link may go without a word. */
export const PATIENCE = 30_000;

/**
 * The error of a call: `code` is Connect's name of the canonical code, `reason` and `metadata` are those of the
 * daemon's ErrorInfo.
 */
export class CallError extends Error {
  constructor(code, message, reason = '', metadata = []) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.reason = reason;
    this.metadata = Object.fromEntries(metadata.map(({ key, value }) => [key, value]));
  }

  /** The error that Connect sends as JSON. */
  static fromConnect({ code = 'unknown', message = '', details = [] }) {
    const detail = details.find((each) => each.type === 'google.rpc.ErrorInfo');
    const info = detail ? decode(detail.type, fromBase64(detail.value)) : {};
    const words = message || 'The daemon refused the request.';
    return new CallError(code, words, info.reason, info.metadata);
  }

  /** The error that a message carries as google.rpc.Status. */
  static fromStatus({ code, message, details = [] }) {
    const detail = details.find((each) => each.typeUrl.endsWith('/google.rpc.ErrorInfo'));
    const info = detail ? decode('google.rpc.ErrorInfo', detail.value) : {};
    return new CallError(String(code), message, info.reason, info.metadata);
  }
}

/** Calls a method with one request and one response. */
export async function call(method, request, { signal, priority } = {}) {
  const { request: requestType, response: responseType } = methods[method];
  const limits = AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal ? [signal] : [])]);
  const response = await post(method, 'application/proto', encode(requestType, request), limits, priority);
  return decode(responseType, new Uint8Array(await body(response)));
}

/** Calls a method with a stream of responses. Ends the call early when the caller leaves the loop over the responses. */
export async function* stream(method, request, { signal, priority } = {}) {
  const { request: requestType, response: responseType } = methods[method];
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  let end = null;
  try {
    const message = envelope(encode(requestType, request));
    const response = await post(method, 'application/connect+proto', message, controller.signal, priority);
    for await (const [flags, bytes] of envelopes(response.body)) {
      if (flags & END_OF_STREAM) end = JSON.parse(new TextDecoder().decode(bytes));
      else yield decode(responseType, bytes);
    }
    if (!end) throw new CallError('unavailable', 'The daemon broke the stream off.');
    if (end.error) throw CallError.fromConnect(end.error);
  } catch (error) {
    throw asCallError(error);
  } finally {
    signal?.removeEventListener('abort', abort);
    // The connection of a stream that has not ended cannot take another request.
    if (!end) abort();
  }
}

/** A file that the daemon serves, whole. */
export async function readFile(address, signal) {
  let response;
  try {
    response = await fetch(address, { signal });
    if (response.ok) return await response.blob();
  } catch (error) {
    throw asCallError(error);
  }
  throw await refusalOf(response);
}

async function post(method, type, content, signal, priority) {
  let response;
  try {
    response = await fetch(`firstlight.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': type, 'connect-protocol-version': '1' },
      body: content,
      cache: 'no-store',
      priority,
      signal,
    });
  } catch (error) {
    throw asCallError(error);
  }
  if (response.ok) return response;
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    throw CallError.fromConnect(await response.json());
  }
  throw await refusalOf(response);
}

/** The error of an answer whose body is a sentence for people. */
async function refusalOf(response) {
  return new CallError('unknown', (await response.text()).trim() || `The daemon answered ${response.status}.`);
}

async function body(response) {
  try {
    return await response.arrayBuffer();
  } catch (error) {
    throw asCallError(error);
  }
}

function asCallError(error) {
  if (error instanceof CallError) return error;
  if (error.name === 'AbortError') return new CallError('canceled', 'The page ended the call.');
  if (error.name === 'TimeoutError') return new CallError('deadline_exceeded', 'The daemon did not answer in time.');
  // fetch and the reader of a body throw TypeError when there is no connection.
  if (error instanceof TypeError) return new CallError('unavailable', 'The daemon does not answer.');
  return error;
}

function envelope(message) {
  const bytes = new Uint8Array(5 + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, 5);
  return bytes;
}

/** The flags and the bytes of each envelope of a body. */
async function* envelopes(readable) {
  const reader = readable.getReader();
  let chunks = [];
  let size = 0;
  let wanted = 5;
  for (;;) {
    while (size >= wanted) {
      const joined = join(chunks, size);
      const length = new DataView(joined.buffer, joined.byteOffset).getUint32(1);
      wanted = 5 + length;
      chunks = [joined];
      if (size < wanted) break;
      yield [joined[0], joined.subarray(5, wanted)];
      chunks = [joined.subarray(wanted)];
      size -= wanted;
      wanted = 5;
    }
    const { done, value } = await reader.read();
    if (done) return;
    chunks.push(value);
    size += value.length;
  }
}

function join(chunks, size) {
  if (chunks.length === 1) return chunks[0];
  const joined = new Uint8Array(size);
  let position = 0;
  for (const chunk of chunks) {
    joined.set(chunk, position);
    position += chunk.length;
  }
  return joined;
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
