// What the page says of the states of sessions, in words for people.

import { CallError } from './connect.js';

const INTERRUPTIONS = {
  DEVICE_DISCONNECTED: ['The camera is not there', 'Plug it in again, and the picture comes back by itself.'],
  DEVICE_IN_USE: ['The camera is in use', 'The picture comes back when the other program lets the camera go.'],
  SYSTEM_PRESSURE: ['The machine is too hot or too busy', 'The camera rests, and goes on by itself when that is over.'],
  DEVICE_STALLED: ['The camera brings no pictures', 'The daemon starts it again, after growing pauses of up to 30 s.'],
  SYSTEM_SUSPEND: ['The machine sleeps', 'The picture comes back by itself when the machine is awake.'],
};

const STATES = {
  STARTING: 'Starting',
  RUNNING: 'Live',
  STOPPING: 'Stopping',
  STOPPED: 'Stopped',
  INTERRUPTED: 'Interrupted',
};

const CONNECTIONS = {
  connecting: 'Connecting',
  waiting: 'No connection',
  hidden: 'Paused',
};

export const LEVELS = ['UNSPECIFIED', 'NOMINAL', 'FAIR', 'SERIOUS', 'CRITICAL', 'SHUTDOWN'];

const FACTORS = {
  SYSTEM_TEMPERATURE: 'the machine is hot',
  PEAK_POWER: 'the power supply gives too little',
  CAMERA_TEMPERATURE: 'the camera is hot',
  CPU_PRESSURE: 'tasks wait for a processor',
  MEMORY_PRESSURE: 'tasks wait for memory',
  IO_PRESSURE: 'tasks wait for disks',
};

const MOMENT = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' };

const CODECS = { H264: 'H.264', HEVC: 'HEVC', PRO_RES: 'ProRes', FFV1: 'FFV1', MOTION_JPEG: 'Motion JPEG' };
const CONTAINERS = { MP4: 'MP4', MOV: 'QuickTime', MATROSKA: 'Matroska', MPEG_TS: 'MPEG-TS' };

/** Why one of several inputs brings no pictures while its session runs: { title, text }. Null when it brings some. */
function inputWords(session, output) {
  const { state, interruptionReason, error } = session.statusOf(output) ?? {};
  if (state === 'STOPPED') {
    if (error) return { title: 'This camera is off', text: CallError.fromStatus(error).message, action: 'start' };
    return { title: 'This picture is off', text: 'The session runs without it.' };
  }
  if (state !== 'INTERRUPTED') return null;
  if (session.inputOf(output).composition) {
    return { title: 'The first camera is missing', text: 'The composed picture comes back with its pictures.' };
  }
  const [title, text] = INTERRUPTIONS[interruptionReason] ?? ['The camera is interrupted', 'It goes on by itself.'];
  return { title, text };
}

/** The state of the page in a word or two, and how it looks: 'good', 'busy' or 'bad'. */
export function stateWords(state) {
  const { session, connection } = state;
  if (connection !== 'live') return [CONNECTIONS[connection], connection === 'waiting' ? 'bad' : 'busy'];
  if (!session) return ['No camera', 'busy'];
  if (session.isReconfiguring) return ['Changing', 'busy'];
  const look = { RUNNING: 'good', INTERRUPTED: 'bad' }[session.state] ?? 'busy';
  return [STATES[session.state] ?? '…', look];
}

/** Why there is no live picture: { title, text, action }. Null when there is one, or will be in a moment. */
export function noticeWords(state, view) {
  if (state.connection === 'waiting') {
    return { title: 'The daemon does not answer', text: 'The page connects again by itself.' };
  }
  if (state.connection !== 'live') return null;
  const { session } = state;
  if (!session) {
    const text = state.devices.size
      ? 'Open one, and the daemon starts it.'
      : 'Connect a camera, and it appears here.';
    return { title: state.devices.size ? 'No camera is open' : 'There is no camera', text, action: 'open' };
  }
  if (session.state === 'INTERRUPTED') {
    const unknown = ['The session is interrupted', 'It goes on by itself.'];
    const [title, text] = INTERRUPTIONS[session.interruption] ?? unknown;
    const error = session.error && CallError.fromStatus(session.error);
    // The reason of the interruption itself says no more than the words above.
    return { title, text, detail: error?.reason === session.interruption ? undefined : error?.message };
  }
  if (session.state === 'STOPPED') {
    if (!session.configuration?.inputs.length) {
      return { title: 'The session has no camera', text: 'Choose a camera in the settings.' };
    }
    return { title: 'The camera is off', text: session.error?.message ?? 'The session is stopped.', action: 'start' };
  }
  const missing = session.isRunning && inputWords(session, view?.output);
  if (missing) return missing;
  if (view?.error) return { title: 'There is no picture', text: view.error.message };
  if (view?.status?.takingStill) {
    return { title: 'Hold still', text: 'The camera takes a photo larger than its frames.', isBrief: true };
  }
  return null;
}

/** The codec of a recording. */
export function codecWords({ codec }) {
  return CODECS[codec] ?? (codec === 'UNSPECIFIED' ? 'this codec' : codec);
}

/** The codec and the kind of the file of a recording. */
export function formWords(recording) {
  return `${codecWords(recording)} in ${CONTAINERS[recording.container] ?? 'this file'}`;
}

/** The pressure in a sentence. */
export function pressureWords(pressure) {
  if (!pressure) return 'The daemon has not told the pressure yet.';
  const level = pressure.level.toLowerCase();
  const factors = pressure.factors.map((factor) => FACTORS[factor] ?? String(factor).toLowerCase());
  const cause = factors.length ? `, because ${factors.join(' and ')}` : '';
  return `The pressure is ${level}${cause}.${pressure.simulated ? ' A drill simulates it.' : ''}`;
}

/** A step of the ladder in words. */
export function stepWords(step) {
  switch (step.limit) {
    case 'previewSidePixels': return `Previews have at most ${step.previewSidePixels} pixels a side.`;
    case 'previewJpegQuality': return `Previews have at most JPEG quality ${step.previewJpegQuality}.`;
    case 'previewFrameRate': return `Previews have at most ${rateText(step.previewFrameRate)} frames a second.`;
    case 'deviceFrameRate': return `Outputs get at most ${rateText(step.deviceFrameRate)} frames a second.`;
    case 'fusedFrames': return `Photos are made of at most ${step.fusedFrames} frames.`;
    case 'zeroShutterLagWindow': return 'Photos reach back less far.';
    default: return 'The daemon limits something that this page does not know.';
  }
}

/** A rate as a number of frames per second. */
export function rateText({ numerator, denominator }) {
  return String(Math.round((numerator / denominator) * 100) / 100);
}

/** Why a recording ended, and what is left of it. */
export function recordingEndWords(recording, isOwnStop = false) {
  const { cause, error } = recording.end ?? {};
  const because = {
    MAX_RECORDED_DURATION: 'The recording has ended at its longest duration.',
    MAX_RECORDED_FILE_SIZE: 'The recording has ended at the largest size of its file.',
    MIN_FREE_DISK_SPACE: 'The recording has ended, because the disk is nearly full.',
    SESSION: error && sessionEndWords(CallError.fromStatus(error)),
    FAILED: `The recording has failed. ${error?.message ?? ''}`.trim(),
    DAEMON_ENDED: 'The recording has ended with the daemon.',
    STOPPED: isOwnStop ? 'The recording is saved.' : 'The recording was stopped elsewhere.',
  }[cause] ?? 'The recording has ended.';
  if (!recording.playable) return `${because} It has no picture, and leaves no file.`;
  return cause === 'STOPPED' ? because : `${because} The movie plays up to there.`;
}

/** How the session ended a recording. An interruption has the words of the card over the picture. */
function sessionEndWords({ message, metadata }) {
  const words = INTERRUPTIONS[metadata.interruption]?.[0];
  return words ? `The recording has ended. ${words}.` : message;
}

/** A duration in seconds as minutes and seconds, with hours where there are some. */
export function durationText(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = (number) => String(number).padStart(2, '0');
  return `${hours ? `${hours}:${padded(minutes)}` : minutes}:${padded(whole % 60)}`;
}

/** The date of a Timestamp. */
export function dateOf({ seconds, nanos }) {
  return new Date(Number(seconds) * 1000 + nanos / 1e6);
}

/** A day and a time of day. */
export function momentText(date) {
  return date.toLocaleString([], MOMENT);
}

/** A number of bytes with three digits or so. */
export function sizeText(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [Number(bytes), 0];
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit > 1 && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A camera's name for people. */
export function cameraName(device, session) {
  return device?.label || device?.displayName || (session ? session.id : '') || 'Camera';
}

/**
 * The names for people of a session's cameras and compositions, by the id of the input. Cameras that share a name have
 * the id behind it.
 */
export function inputNames(session, devices) {
  const inputs = session.pictureInputs;
  const names = inputs.map((input) => (input.composition ? input.id : cameraName(devices.get(input.device), input)));
  return new Map(inputs.map(({ id }, place) => {
    const name = names[place];
    return [id, names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${id})`];
  }));
}
