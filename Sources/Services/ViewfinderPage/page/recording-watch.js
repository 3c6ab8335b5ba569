// Knows the recording of the selected session's main movie output that is under way, whichever client has started it.

import {
  getRecording, pauseRecording, recordingUnderWay, resumeRecording, startRecording, stopRecording,
} from './recording-requests.js';
import { configureSession } from './daemon.js';
import { say, sayingErrors } from './messages.js';
import { recordingEndWords } from './sentences.js';

/** How often the page asks for a recording that is under way, in milliseconds. */
const PERIOD = 1000;

/** How often the page looks whether another client has started a recording, in milliseconds. */
const LOOK = 10_000;

export class RecordingWatch {
  constructor(state) {
    this.state = state;
    /** When the newest state of the recording came, by performance.now(). */
    this.heard = 0;
    /** Whether a request of the person is under way: 'start', 'stop', 'pause', or ''. */
    this.busy = '';
    state.on('connection', () => this.look());
    state.on('selected', () => this.change());
    setInterval(() => { if (!state.recording) this.look(); }, LOOK);
    this.look();
  }

  /** Whether the person can start a recording, or stop the one that is under way. */
  get isReady() {
    const { connection, recording, session } = this.state;
    if (connection !== 'live' || this.busy || recording?.continuous) return false;
    return Boolean(recording || session?.isRunning || session?.session?.onDemand);
  }

  /** How long the movie is now, in seconds. */
  get seconds() {
    const { recording } = this.state;
    const told = durationSeconds(recording);
    return recording.state === 'RECORDING' ? told + (performance.now() - this.heard) / 1000 : told;
  }

  /** Starts a recording, or stops the one that is under way. */
  async toggle() {
    if (!this.isReady) return;
    if (this.state.recording) await this.work('stop', stopRecording);
    else await this.work('start', () => this.start());
  }

  /** Pauses the recording, or goes on with it. */
  async togglePause() {
    if (!this.isReady || !this.state.recording) return;
    await this.work('pause', this.state.recording.state === 'PAUSED' ? resumeRecording : pauseRecording);
  }

  /** Does what the person asked for, and takes over the recording that the daemon answers. */
  async work(kind, request) {
    const { state } = this;
    const session = state.selected;
    this.busy = kind;
    state.tell('recording');
    const recording = await sayingErrors(() => request(state.recording?.name));
    this.busy = '';
    if (recording && session === state.selected) this.take(recording, kind);
    else {
      state.tell('recording');
      this.look();
    }
  }

  /** Starts a recording of the selected session, which gets a movie output where it has none. */
  async start() {
    const { state } = this;
    const { name, session, hasMovie } = state.session;
    if (!hasMovie) {
      const wanted = withMovie(session.configuration, state.session.mainInput?.id || 'camera');
      state.learn(await configureSession(name, wanted, session.etag));
    }
    return startRecording(name);
  }

  /** Forgets the recording, because the page is about another session. */
  change() {
    this.state.recording = null;
    this.state.tell('recording');
    this.look();
  }

  /** Looks for a recording that is under way. A page that is hidden asks for nothing. */
  async look() {
    const { state } = this;
    const session = state.selected;
    const { name, continuous } = state.recording ?? {};
    // A recording is asked for until its end is told, also when its session has lost the movie output.
    const isExpected = name || state.session?.hasMovie;
    if (state.connection !== 'live' || !isExpected || this.busy) return;
    const asked = name ? getRecording(name) : recordingUnderWay(session, state.session.mainMovie);
    const found = await asked.catch((error) => error);
    if (session !== state.selected || name !== state.recording?.name || this.busy) return;
    if (found?.reason === 'RECORDING_NOT_FOUND') {
      if (continuous) this.goOn();
      else this.end(found.message);
    } else if (found?.name?.startsWith('recordings/')) this.take(found);
    else if (state.recording) this.askLater();
  }

  /** Takes over what the daemon tells of the recording. `kind` is what the person has asked for. */
  take(recording, kind = '') {
    const { state } = this;
    this.heard = performance.now();
    if (recording.state === 'FINISHED') {
      state.tell('recording-told', recording);
      if (recording.end?.cause === 'NEXT_SEGMENT') {
        this.goOn();
        return;
      }
      this.end(recordingEndWords(recording, kind === 'stop'), recording.end?.cause !== 'STOPPED');
      return;
    }
    state.recording = recording;
    if (kind === 'start') say('The recording has begun.');
    if (kind === 'pause') say(recording.state === 'PAUSED' ? 'The recording is paused.' : 'The recording goes on.');
    state.tell('recording-told', recording);
    state.tell('recording');
    this.askLater();
  }

  /**
   * Goes on with the next segment of a continuous recording. The page says nothing, because the recording goes on, and
   * shows the segment before until it knows the next one.
   */
  async goOn() {
    const { state } = this;
    const { selected: session, recording: before } = state;
    const found = await recordingUnderWay(session, before.output).catch(() => undefined);
    if (session !== state.selected || before !== state.recording) return;
    if (found) this.take(found);
    else {
      state.recording = null;
      state.tell('recording');
    }
  }

  end(words, isError = true) {
    this.state.recording = null;
    this.state.tell('recording');
    say(words, { isError });
  }

  askLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (this.state.recording) this.look(); }, PERIOD);
  }
}

/** How long the movie of a recording is, in seconds. */
export function durationSeconds({ recordedDuration }) {
  return recordedDuration ? Number(recordedDuration.seconds) + recordedDuration.nanos / 1e9 : 0;
}

/** How many frames the movie of a recording lacks so far. */
export function lostFrames({ dropped }) {
  const causes = ['late', 'outOfBuffers', 'discontinuity', 'damaged'];
  return causes.reduce((sum, cause) => sum + Number(dropped?.[cause] ?? 0), 0);
}

/**
 * A configuration with a movie output, whose movies show an input. Where the configuration names connections, an output
 * without one would get no frames.
 */
function withMovie(configuration, input) {
  const { connections } = configuration;
  const added = connections.length ? [...connections, { input, output: 'movie' }] : [];
  return { ...configuration, movie: {}, connections: added };
}
