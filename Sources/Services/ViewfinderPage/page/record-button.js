// The button that records, and the line above the shutter with the time and the size of the recording.

import { say } from './messages.js';
import { lostFrames } from './recording-watch.js';
import { durationText, sizeText } from './sentences.js';

/** How often the running time is shown, in milliseconds. It changes once a second. */
const PERIOD = 200;

export class RecordButton {
  constructor(state, watch) {
    Object.assign(this, { state, watch });
    this.button = document.getElementById('record');
    this.line = document.getElementById('recording-line');
    this.time = document.getElementById('recording-time');
    this.pauseButton = document.getElementById('pause');
    this.button.addEventListener('click', () => this.press());
    this.pauseButton.addEventListener('click', () => this.pause());
    for (const kind of ['recording', 'connection', 'sessions']) state.on(kind, () => this.show());
    this.show();
  }

  /** Starts or stops a recording. */
  press() {
    if (this.watch.isReady) this.watch.toggle();
    else if (!this.watch.busy) say(this.refusal);
  }

  /** Why the person can neither start nor stop a recording now. */
  get refusal() {
    if (this.state.connection !== 'live') return 'The daemon does not answer.';
    if (this.state.recording?.continuous) return 'The camera records continuously, until its session is stopped.';
    return 'The camera must run to be recorded.';
  }

  async pause() {
    await this.watch.togglePause();
    // A button that is hidden loses the focus.
    if (this.line.hidden && document.activeElement === document.body) this.button.focus();
  }

  show() {
    const { button, watch, state } = this;
    const { recording } = state;
    const isPaused = recording?.state === 'PAUSED';
    const hadFocus = this.line.contains(document.activeElement);
    button.setAttribute('aria-pressed', String(Boolean(recording)));
    button.setAttribute('aria-disabled', String(!watch.isReady));
    const restingLook = watch.isReady ? 'ready' : 'off';
    const runningLook = isPaused ? 'paused' : 'recording';
    button.dataset.look = watch.busy || (recording && !recording.continuous ? runningLook : restingLook);
    this.line.hidden = !recording;
    this.line.dataset.look = recording?.continuous ? 'continuous' : runningLook;
    this.pauseButton.hidden = Boolean(recording?.continuous);
    this.pauseButton.setAttribute('aria-pressed', String(isPaused));
    this.pauseButton.title = isPaused ? 'Go on' : 'Pause';
    document.documentElement.toggleAttribute('data-recording', Boolean(recording));
    if (!recording && hadFocus) button.focus();
    clearInterval(this.timer);
    if (recording) {
      this.timer = setInterval(() => this.showTime(), PERIOD);
      this.showTime();
    }
  }

  /** Shows the running time, the size and the lost frames. Screen readers read them when they are asked to, and not every second. */
  showTime() {
    const { recording } = this.state;
    const size = recording.recordedFileSize ? ` · ${sizeText(recording.recordedFileSize)}` : '';
    let words = `${durationText(this.watch.seconds)}${size}`;
    if (recording.continuous) words = 'Records continuously';
    else if (recording.state === 'STARTING') words = 'Waiting for a picture';
    const lost = lostFrames(recording);
    if (lost) words += ` · ${lost} ${lost === 1 ? 'frame' : 'frames'} lost`;
    if (this.time.textContent !== words) this.time.textContent = words;
  }
}
