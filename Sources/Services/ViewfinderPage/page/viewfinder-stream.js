// The one long-lived connection of the page: the stream of ViewfinderService. It connects again by itself, carries
// other contents when the page shows something else, acknowledges pictures, and holds nothing open while the tab is
// hidden.

import { call, stream } from './connect.js';
import { onceInTurn } from './request-queue.js';

/** The first and the longest pause before another attempt to connect, in milliseconds. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [250, 5000];

/** The time without a message after which the page asks whether the stream still exists, in milliseconds. */
const SILENCE = 10_000;

/** The pause before the page acknowledges again what it could not acknowledge, in milliseconds. */
const RETRY = 1000;

/** The reason with which the page ends a stream of a daemon that answers, to begin another one. */
const RENEWAL = new DOMException('The page begins another stream.', 'AbortError');

export class ViewfinderStream {
  /**
   * - prepare: called before each attempt to connect. The attempt fails when it fails.
   * - contents: returns what the stream should carry now.
   * - receive: called with each message, and with a function to call when the message has been consumed.
   * - stateChanged: called with 'connecting', 'live', 'waiting' or 'hidden'.
   */
  constructor({ prepare, contents, receive, stateChanged }) {
    Object.assign(this, { prepare, contents, receive, stateChanged });
    this.token = '';
    this.carried = '';
    this.pause = FIRST_PAUSE;
    /** The shortest time that an acknowledgement took, in milliseconds: the delay of the link itself. */
    this.roundTrip = Infinity;
    document.addEventListener('visibilitychange', () => this.visibilityChanged());
    addEventListener('online', () => this.wake?.());
    setInterval(() => this.checkLink(), SILENCE / 2);
  }

  /** Connects, and connects again when the stream ends. */
  async run() {
    for (;;) {
      if (document.hidden) {
        this.stateChanged('hidden');
        await this.rest();
        continue;
      }
      try {
        await this.connect();
        await this.rest(FIRST_PAUSE);
      } catch (error) {
        if (document.hidden) continue;
        if (this.controller?.signal.reason === RENEWAL) {
          this.stateChanged('connecting');
          await this.rest(FIRST_PAUSE);
          continue;
        }
        console.info('The stream has ended:', error.message);
        this.stateChanged('waiting');
        await this.rest(this.pause * (0.75 + Math.random() / 2));
        this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
      } finally {
        this.token = '';
        this.controller = null;
      }
    }
  }

  /** Tells the daemon that the page shows something else. Several changes at once become one request. */
  contentsChanged() {
    if (!this.token || JSON.stringify(this.contents()) === this.carried) return;
    onceInTurn('update', () => this.update()).catch((error) => {
      console.info('The contents could not be changed:', error.message);
      this.controller?.abort();
    });
  }

  /** Begins a new stream, because parts of this one have ended and are wanted again. */
  reconnect() {
    this.controller?.abort(RENEWAL);
  }

  async connect() {
    this.stateChanged('connecting');
    this.controller = new AbortController();
    const { signal } = this.controller;
    await this.prepare();
    if (document.hidden) return;
    Object.assign(this, { pending: new Set(), received: 0, newestPicture: 0, acknowledged: 0, isAcknowledging: false });
    const contents = this.contents();
    this.carried = JSON.stringify(contents);
    this.heard = performance.now();
    for await (const message of stream('ViewfinderService/StreamViewfinder', { contents }, { signal })) {
      this.heard = performance.now();
      this.take(message, signal);
    }
  }

  take(message, signal) {
    const number = Number(message.messageNumber);
    this.received = number;
    if (message.content === 'status') {
      if (!this.token) {
        this.token = message.status.streamToken;
        this.pause = FIRST_PAUSE;
        this.stateChanged('live');
        this.contentsChanged();
      }
      return;
    }
    const isPicture = message.content === 'preview' && message.preview.message.content === 'frame';
    if (isPicture) {
      this.newestPicture = number;
      this.pending.add(number);
    }
    const { pending } = this;
    this.receive(message, () => {
      if (pending.delete(number) && !signal.aborted) this.acknowledge();
    });
  }

  async update() {
    const contents = this.contents();
    const carried = JSON.stringify(contents);
    if (!this.token || carried === this.carried) return;
    const token = this.token;
    try {
      await call('ViewfinderService/UpdateViewfinder', { streamToken: token, contents });
    } catch (error) {
      // The stream that follows carries what the page shows then.
      if (token !== this.token) return;
      throw error;
    }
    if (token === this.token) this.carried = carried;
    this.contentsChanged();
  }

  /** Acknowledges every picture before the oldest one that the page has not consumed. */
  async acknowledge() {
    const oldest = this.pending.values().next().value;
    const consumed = oldest === undefined ? this.received : oldest - 1;
    if (this.isAcknowledging || !this.token || consumed <= this.acknowledged) return;
    this.isAcknowledging = true;
    const before = this.acknowledged;
    this.acknowledged = consumed;
    const { token, controller } = this;
    const began = performance.now();
    try {
      const request = { streamToken: token, sequence: consumed };
      await call('PreviewService/AcknowledgeFrames', request, { signal: controller.signal, priority: 'high' });
      this.roundTrip = Math.min(this.roundTrip, performance.now() - began);
    } catch (error) {
      if (error.reason === 'STREAM_NOT_FOUND') controller.abort(RENEWAL);
      // The daemon may not know, and would then send no further picture.
      if (token === this.token) {
        this.acknowledged = before;
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
    if (token !== this.token) return;
    this.isAcknowledging = false;
    if (this.newestPicture > this.acknowledged) this.acknowledge();
  }

  /** Finds out whether a stream that brings nothing still exists, as a link may go without a word. */
  async checkLink() {
    if (!this.token || document.hidden) return;
    // A link with a long delay needs more pictures on their way.
    this.contentsChanged();
    if (performance.now() - this.heard < SILENCE) return;
    const { token, controller } = this;
    try {
      const request = { streamToken: token, sequence: this.acknowledged };
      await call('PreviewService/AcknowledgeFrames', request, { signal: AbortSignal.timeout(SILENCE / 2) });
    } catch (error) {
      console.info('The daemon does not know the stream any more:', error.message);
      controller.abort();
    }
  }

  visibilityChanged() {
    if (document.hidden) {
      this.stateChanged('hidden');
      this.controller?.abort(RENEWAL);
    }
    this.wake?.();
  }

  /** Waits for a time, for the network, or until the tab is shown or hidden. */
  async rest(milliseconds) {
    await new Promise((resolve) => {
      this.wake = resolve;
      if (milliseconds !== undefined) setTimeout(resolve, milliseconds);
    });
    this.wake = null;
  }
}
