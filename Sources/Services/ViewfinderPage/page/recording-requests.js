// The requests of the page about recordings.

import { call, CallError, PATIENCE, stream } from './connect.js';
import { inTurn } from './request-queue.js';

const PAGE_SIZE = 100;

/** The states of a recording that is under way. The daemon lists the recordings of one state at a time. */
const UNDER_WAY = ['RECORDING', 'PAUSED', 'STARTING'];

/**
 * Starts a recording, and returns it when the daemon has accepted it. The page leaves the stream then, because a
 * browser has six connections to the daemon for all its tabs, and a stream would hold one of them until the recording
 * ends. The recording goes on, and `RecordingWatch` asks for it once a second.
 */
export async function startRecording(session) {
  return inTurn(async () => {
    const options = { signal: AbortSignal.timeout(PATIENCE) };
    for await (const { event } of stream('RecordingService/StartRecording', { session }, options)) {
      if (event) return event.recording;
    }
    throw new CallError('unknown', 'The daemon did not say what became of the recording.');
  });
}

/** Stops a recording, and returns it when its file is complete. */
export async function stopRecording(name) {
  return (await inTurn(() => call('RecordingService/StopRecording', { name }))).recording;
}

/** Leaves frames out of a recording. */
export async function pauseRecording(name) {
  return (await inTurn(() => call('RecordingService/PauseRecording', { name }))).recording;
}

/** Goes on with a recording that was paused. */
export async function resumeRecording(name) {
  return (await inTurn(() => call('RecordingService/ResumeRecording', { name }))).recording;
}

/** A recording as it is now. */
export async function getRecording(name) {
  return (await inTurn(() => call('RecordingService/GetRecording', { name }))).recording;
}

/** Deletes a recording and its file. */
export async function deleteRecording(name) {
  await inTurn(() => call('RecordingService/DeleteRecording', { name }));
}

/** The recording of a movie output of a session that is under way. Undefined when there is none. */
export async function recordingUnderWay(session, output) {
  for (const state of UNDER_WAY) {
    const request = { session, output, state, pageSize: 1 };
    const { recordings } = await inTurn(() => call('RecordingService/ListRecordings', request));
    if (recordings.length > 0) return recordings[0];
  }
  return undefined;
}

/**
 * A page of the recordings of a session, the newest first: the recordings, and the token of the next page, which is
 * empty on the last one.
 */
export async function listRecordings(session, pageToken = '') {
  return inTurn(() => call('RecordingService/ListRecordings', { session, pageSize: PAGE_SIZE, pageToken }));
}
