// Compares the daemon's clock with the page's, so that the page knows how old a picture is.

import { getServerInfo } from './daemon.js';

const SAMPLES = 3;

export class DaemonClock {
  constructor(state) {
    /** The daemon's CLOCK_MONOTONIC minus performance.now(), in milliseconds. Undefined until it is known. */
    this.offset = undefined;
    this.state = state;
    state.on('connection', () => this.compare());
    this.compare();
  }

  /** Takes the offset of the sample with the shortest round trip. */
  async compare() {
    if (this.state.connection !== 'live') return;
    let shortest = Infinity;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const info = await getServerInfo().catch(() => null);
      if (!info) return;
      const { serverInfo, sent, received } = info;
      if (received - sent >= shortest) continue;
      shortest = received - sent;
      this.offset = Number(serverInfo.monotonicTimeNs) / 1e6 - (sent + received) / 2;
    }
  }

  /** How long ago a frame was captured, in milliseconds. Undefined while it is not known. */
  age(frame) {
    if (this.offset === undefined) return undefined;
    return performance.now() + this.offset - Number(frame.monotonicTimeNs) / 1e6;
  }
}
