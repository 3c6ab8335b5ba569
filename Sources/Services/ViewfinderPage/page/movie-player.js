// Plays a recording over the live picture. The shutter rests meanwhile, because it takes the frame that a person sees.

import { icon, make, makeButton } from './dom.js';
import { downloadAddress, fileAddress } from './movie-item.js';
import { getRecording } from './recording-requests.js';

/** The codecs of movies, in words. */
const CODECS = { H264: 'H.264', HEVC: 'HEVC', PRO_RES: 'ProRes', FFV1: 'FFV1', MOTION_JPEG: 'Motion JPEG' };
const CONTAINERS = { MP4: 'MP4', MOV: 'QuickTime', MATROSKA: 'Matroska', MPEG_TS: 'MPEG-TS' };

export class MoviePlayer {
  constructor(dialog, state) {
    this.dialog = dialog;
    this.recording = null;
    dialog.addEventListener('close', () => this.closed());
    // A press beside the dialog hits the dialog itself.
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    state.on('connection', () => this.rest(state.connection));
  }

  /** Opens a recording, and plays it as far as it is written. `about` is its time, for people. */
  open(recording, about) {
    if (this.dialog.open) return;
    this.recording = recording;
    this.time = 0;
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
    if (recording.state !== 'FINISHED') {
      this.words.textContent = 'It is still being recorded, and plays as far as it is written.';
    }
    this.load();
  }

  load() {
    this.video.hidden = false;
    this.video.src = fileAddress(this.recording);
    this.video.currentTime = this.time;
    // A browser that does not let a movie play by itself shows its own button.
    this.video.play().catch(() => {});
  }

  /** Lets go of the connection while the tab is hidden, and goes on at the same time when it is shown again. */
  rest(connection) {
    if (!this.dialog.open) return;
    if (connection === 'hidden') {
      this.time = this.video.currentTime;
      this.unload();
    } else if (connection === 'live' && !this.video.hasAttribute('src')) {
      this.load();
    }
  }

  unload() {
    this.video.removeAttribute('src');
    this.video.load();
  }

  closed() {
    this.unload();
    this.recording = null;
    this.dialog.replaceChildren();
  }

  /** Says why the browser does not play the movie. */
  async failed() {
    const { recording, video } = this;
    if (!video.hasAttribute('src')) return;
    const found = await getRecording(recording.name).catch((error) => error);
    if (recording !== this.recording) return;
    const form = `${CODECS[recording.codec] ?? recording.codec} in ${CONTAINERS[recording.container] ?? 'this file'}`;
    video.hidden = true;
    this.words.textContent = found instanceof Error
      ? found.message
      : `This browser does not play ${form}. Download the movie, and play it with another program.`;
    document.getElementById('player-download').focus();
  }
}
