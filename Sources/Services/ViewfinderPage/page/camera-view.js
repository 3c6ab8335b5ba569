// A preview of a session on a canvas: what it asks the daemon for, and what came.

import { CallError } from './connect.js';
import { decodesH264 } from './h264-decoder.js';
import { PreviewCanvas } from './preview-canvas.js';

/** The sizes that previews ask for, so that viewers with windows of about the same size share an encoding. */
const SIDES = [320, 640, 960, 1280, 1920, 2560, 3840];

/** How many pictures may be on their way, and the delay of the link in milliseconds up to which that is enough. */
const WINDOWS = [[4, 60], [8, 180], [16, Infinity]];

const QUALITY = 80;
let lastId = 0;

export class CameraView {
  /**
   * - session: the resource name of the session.
   * - output: the id of the preview. Undefined for the main one.
   * - codec: 'jpeg', 'h264', or 'auto' for H.264 while the link is slow.
   * - changed: called when the view wants another preview than before.
   * - drawn: called after each picture.
   */
  constructor(canvas, session, { output, codec = 'jpeg', changed, drawn }) {
    this.session = session;
    this.output = output;
    this.codec = decodesH264 ? codec : 'jpeg';
    this.changed = changed;
    this.picture = new PreviewCanvas(canvas, {
      drawn: (frame) => { this.drawn += 1; drawn?.(this, frame); },
      failed: () => { this.codec = 'jpeg'; this.ask(); },
    });
    /** The newest PreviewStatus. */
    this.status = null;
    /** Why there is no preview. */
    this.error = null;
    this.usesH264 = codec === 'h264' && decodesH264;
    /** How many pictures were drawn, the bytes of those that came, and the frames that did not come, by cause. */
    this.drawn = 0;
    this.bytes = 0;
    this.lost = { late: 0n, outOfBuffers: 0n, discontinuity: 0n, damaged: 0n };
    this.window = 0;
    this.request = null;
    this.requestText = '';
  }

  /** The preview as the contents of the viewfinder name it. A request that differs from the last one gets a new id. */
  preview(roundTrip, capturedWidth) {
    const request = this.wantedRequest(roundTrip, capturedWidth);
    const text = JSON.stringify(request);
    if (text !== this.requestText) {
      lastId += 1;
      this.id = `preview-${lastId}`;
      this.request = request;
      this.requestText = text;
      this.error = null;
      this.picture.restart();
    }
    return { id: this.id, request: this.request };
  }

  receive(message, consumed) {
    if (message.content !== 'frame') {
      consumed();
      this.status = message.status;
      this.chooseEncoding();
      return;
    }
    const { frame } = message;
    this.bytes += frame.data.length;
    for (const cause of ['late', 'outOfBuffers', 'discontinuity', 'damaged']) {
      this.lost[cause] += frame.dropped?.[cause] ?? 0n;
    }
    this.picture.receive(frame, consumed);
  }

  /** Takes over that the preview has ended. */
  ended(status) {
    this.error = CallError.fromStatus(status);
    this.picture.restart();
    this.picture.expire();
    if (this.usesH264 && this.error.reason === 'UNSUPPORTED_VALUE') {
      this.codec = 'jpeg';
      this.usesH264 = false;
      this.changed();
    }
  }

  /** Asks for a preview anew, after an error. */
  ask() {
    this.usesH264 = this.codec === 'h264';
    this.requestText = '';
    this.error = null;
    this.changed();
  }

  close() {
    this.picture.restart();
  }

  /** Whether the daemon holds quality or rate down because the link is slow. */
  get isSlowLink() {
    const { jpegQuality = 0, everyNthFrame = 0 } = this.status ?? {};
    return everyNthFrame > 1 || (jpegQuality > 0 && jpegQuality < QUALITY);
  }

  chooseEncoding() {
    if (this.codec !== 'auto' || this.usesH264 || !this.isSlowLink) return;
    this.usesH264 = true;
    this.changed();
  }

  wantedRequest(roundTrip, capturedWidth) {
    const side = this.side(capturedWidth);
    const [frames] = WINDOWS.find(([, limit]) => roundTrip <= limit);
    this.window = Math.max(this.window, frames);
    return {
      session: this.session,
      output: this.output,
      encoding: this.usesH264 ? 'H264' : 'JPEG',
      maxSize: side ? { width: side, height: side } : undefined,
      jpegQuality: QUALITY,
      maxUnacknowledgedFrames: this.window,
      adaptive: true,
    };
  }

  /** The longest side of pictures for the canvas. Undefined for the size of the captured frames. */
  side(capturedWidth) {
    const box = this.picture.canvas.getBoundingClientRect();
    const pixels = Math.max(box.width, box.height) * devicePixelRatio;
    // A picture on the canvas may be a little smaller than the canvas.
    const side = SIDES.find((each) => each >= pixels * 0.9) ?? SIDES.at(-1);
    return capturedWidth && side >= capturedWidth ? undefined : side;
  }
}
