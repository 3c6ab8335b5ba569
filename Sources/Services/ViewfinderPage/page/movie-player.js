// Plays a recording over the live picture. The shutter rests meanwhile, because it takes the frame that a person sees.

import { icon, make, makeButton } from './dom.js';
import { say } from './messages.js';
import { downloadAddress, fileAddress } from './movie-item.js';
import { getRecording } from './recording-requests.js';
import { asOnlyPlayer } from './request-queue.js';
import { formWords } from './sentences.js';

/** How long after a movie broke off the page loads it again, in milliseconds. */
const AGAIN = 2000;

export class MoviePlayer {
  constructor(dialog, state) {
    Object.assign(this, { dialog, state });
    this.recording = null;
    dialog.addEventListener('close', () => { if (!dialog.open) this.closed(); });
    // A press beside the dialog hits the dialog itself.
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    state.on('connection', () => this.rest(state.connection));
  }

  /** Opens a recording, and plays it as far as it is written. `about` is its time, for people. */
  open(recording, about) {
    if (this.dialog.open) return;
    // The close event of the movie before may come only when this one is open.
    this.closed();
    this.recording = recording;
    this.time = 0;
    this.isPaused = false;
    this.video = make('video', { controls: true, muted: true, playsInline: true, 'aria-label': `Movie of ${about}` });
    this.video.addEventListener('error', () => this.failed());
    this.words = make('p', { role: 'status', className: 'words' });
    const close = makeButton('', () => this.dialog.close(), { id: 'player-close' });
    close.append(icon('close'), make('span', { className: 'quiet' }, 'Close the movie'));
    const download = make('a', { href: downloadAddress(recording), id: 'player-download' },
      icon('download'), 'Download');
    this.dialog.replaceChildren(
      make('div', { className: 'player-head' }, make('h2', { id: 'player-title' }, about), download, close),
      make('div', { className: 'screen' }, this.video, this.words));
    this.dialog.showModal();
    this.video.focus();
    this.leave = asOnlyPlayer(() => this.lost());
    this.load();
  }

  load() {
    const { recording, video } = this;
    this.words.textContent = recording.state === 'FINISHED'
      ? '' : 'It is still being recorded, and plays as far as it is written.';
    video.src = fileAddress(recording);
    video.currentTime = this.time;
    // A browser that does not let a movie play by itself shows its own button.
    if (!this.isPaused) video.play().catch(() => {});
  }

  /** Lets go of the connection while the tab is hidden, and goes on at the same time when it is shown again. */
  rest(connection) {
    if (!this.dialog.open) return;
    if (connection === 'hidden' && !this.video.error) this.interrupt();
    else this.goOn();
  }

  /** Lets go of the connection, and remembers what the video shows. */
  interrupt() {
    const { video } = this;
    if (!video.hasAttribute('src')) return;
    // A video that could not be opened says that it is paused.
    if (video.readyState > 0) Object.assign(this, { time: video.currentTime, isPaused: video.paused });
    this.unload();
  }

  /** Goes on where the movie was interrupted, once there is a connection. */
  goOn() {
    if (this.dialog.open && this.state.connection === 'live' && !this.video.hasAttribute('src')) this.load();
  }

  unload() {
    this.video.removeAttribute('src');
    this.video.load();
  }

  /** Closes the movie, because another tab plays one, and the connections do not suffice for both. */
  lost() {
    this.dialog.close();
    say('The movie was closed, because another tab plays one.');
  }

  closed() {
    if (!this.recording) return;
    this.leave();
    this.unload();
    this.recording = null;
    this.dialog.replaceChildren();
  }

  /**
   * Says why the browser does not play the movie. A browser that could not open a movie does not tell whether it lacks
   * the decoder or the connection, so the page asks the daemon.
   */
  async failed() {
    const { recording, video } = this;
    const { code } = video.error;
    const error = await getRecording(recording.name).then(() => null, (found) => found);
    if (video !== this.video || !video.error) return;
    if (error?.reason === 'RECORDING_NOT_FOUND') this.giveUp(error.message);
    else if (error || code === MediaError.MEDIA_ERR_NETWORK) {
      this.interrupt();
      this.words.textContent = error?.message ?? 'The movie broke off. The page loads it again.';
      setTimeout(() => { if (video === this.video) this.goOn(); }, AGAIN);
    } else {
      const form = formWords(recording);
      this.giveUp(`This browser does not play ${form}. Download the movie, and play it with another program.`);
    }
  }

  /** Says why the movie does not play, in its place. */
  giveUp(words) {
    this.video.hidden = true;
    this.words.textContent = words;
    document.getElementById('player-download').focus();
  }
}
