// The requests of the page to the daemon, beside the viewfinder's stream.

import { call, CallError, stream } from './connect.js';
import { asOnlyDownload, inTurn } from './request-queue.js';

const MAXIMUM_SESSIONS = 100;

/** The time after which the daemon deletes a session that this page opened and that nobody watches any more. */
const IDLE_SECONDS = 120n;

/** How long a download may take, in milliseconds. The daemon keeps photos for about as long. */
const DOWNLOAD_PATIENCE = 60_000;

/** All sessions. */
export async function listSessions() {
  const sessions = [];
  let pageToken = '';
  do {
    const request = { pageSize: MAXIMUM_SESSIONS, pageToken };
    const page = await inTurn(() => call('SessionService/ListSessions', request));
    sessions.push(...page.sessions);
    pageToken = page.nextPageToken;
  } while (pageToken);
  return sessions;
}

/** One session. */
export async function getSession(name) {
  return (await inTurn(() => call('SessionService/GetSession', { name }))).session;
}

/** Opens a session for a camera, with a preview and a photo output, and starts it. */
export async function openSession(device) {
  const configuration = { inputs: [{ device }], preview: {}, photo: {} };
  const request = { configuration, start: true, idleTimeout: { seconds: IDLE_SECONDS } };
  return (await inTurn(() => call('SessionService/CreateSession', request))).session;
}

/** Commits a configuration in place of the one that has the etag. */
export async function configureSession(name, configuration, etag) {
  return (await inTurn(() => call('SessionService/ConfigureSession', { name, configuration, etag }))).session;
}

/** Starts a session. */
export async function startSession(name) {
  return (await inTurn(() => call('SessionService/StartSession', { name }))).session;
}

/** Stops a session. */
export async function stopSession(name) {
  return (await inTurn(() => call('SessionService/StopSession', { name }))).session;
}

/** When each step of the newest launch of a session happened. */
export async function getLaunchTimeline(name) {
  return (await inTurn(() => call('SessionService/GetLaunchTimeline', { name }))).timeline;
}

/** One camera with the present values of its controls. */
export async function getDevice(name) {
  return (await inTurn(() => call('DeviceService/GetDevice', { name }))).device;
}

/** Sets controls of a camera, and returns a result for each. */
export async function setControls(device, session, controlSettings) {
  const request = { device, session, controlSettings };
  return (await inTurn(() => call('DeviceService/SetControls', request))).results;
}

/** The level and the temperatures of the last 24 hours. */
export async function getPressureHistory(maxPoints) {
  return (await inTurn(() => call('PressureService/GetPressureHistory', { maxPoints }))).history.points;
}

/** The daemon and its clocks, with the times at which this page sent the request and got the answer. */
export async function getServerInfo() {
  return inTurn(async () => {
    const sent = performance.now();
    const { serverInfo } = await call('ServerService/GetServerInfo', {}, { priority: 'high' });
    return { serverInfo, sent, received: performance.now() };
  });
}

/** The captures that the daemon keeps. */
export async function listCaptures() {
  return (await inTurn(() => call('PhotoService/ListCaptures', { pageSize: MAXIMUM_SESSIONS }))).captures;
}

/**
 * Takes a photo of the frame that the person saw, at once and before all requests that wait. Returns when the daemon
 * has accepted the capture. The daemon goes on with a capture whose call ends, and the viewfinder's stream tells what
 * becomes of it.
 */
export async function capturePhoto(request) {
  for await (const { event } of stream('PhotoService/CapturePhoto', request, { priority: 'high' })) {
    if (event) return;
  }
  throw new CallError('unknown', 'The daemon did not say what became of the photo.');
}

/** The bytes of a finished photo, as pieces for a Blob. */
export async function downloadCapture(name, bracketIndex = 0) {
  return asOnlyDownload(async () => {
    const pieces = [];
    const options = { priority: 'low', signal: AbortSignal.timeout(DOWNLOAD_PATIENCE) };
    for await (const { data } of stream('PhotoService/DownloadCapture', { name, bracketIndex }, options)) {
      pieces.push(data);
    }
    return pieces;
  });
}
