// A canvas with the newest picture of a preview. It knows which frame is on it.

import { H264Decoder } from './h264-decoder.js';
import { JpegDecoder } from './jpeg-decoder.js';

export class PreviewCanvas {
  /** `drawn` is called after each picture; `failed` when pictures cannot be decoded any more. */
  constructor(canvas, { drawn = () => {}, failed = () => {} } = {}) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.onDrawn = drawn;
    this.onFailed = failed;
    /** The frame that is on the canvas: a PreviewFrame without its data. Null while no live picture is on it. */
    this.frame = null;
    this.next = null;
    this.decoders = {};
  }

  /** Shows a picture as soon as it is decoded, unless a newer one is decoded before. */
  receive(frame, consumed) {
    const decoder = this.decoderFor(frame.encoding);
    if (decoder) decoder.decode({ frame, consumed });
    else consumed();
  }

  /** Forgets pictures on the way, because other pictures follow that do not belong to them. What is drawn stays. */
  restart() {
    for (const decoder of Object.values(this.decoders)) decoder.close();
    this.decoders = {};
    this.forgetNext();
  }

  /** Shows nothing. */
  clear() {
    this.restart();
    this.frame = null;
    delete this.canvas.dataset.old;
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Shows the picture of another canvas as an old one until the next picture comes. */
  copy(other) {
    this.restart();
    this.draw(other.canvas, other.canvas.width, other.canvas.height);
    this.frame = null;
    this.canvas.dataset.old = '';
  }

  /** Marks the picture as an old one until the next picture comes. Nobody can ask for its frame any more. */
  expire() {
    if (this.frame) this.canvas.dataset.old = '';
    this.frame = null;
  }

  decoderFor(encoding) {
    const present = this.decoders[encoding];
    if (present) return present;
    const show = (picture) => { if (this.decoders[encoding] === decoder) this.show(picture); };
    const fail = (error) => { if (this.decoders[encoding] === decoder) this.onFailed(error); };
    let decoder = null;
    if (encoding === 'JPEG') decoder = new JpegDecoder(show);
    else if (encoding === 'H264') decoder = new H264Decoder(show, fail);
    if (decoder) this.decoders[encoding] = decoder;
    return decoder;
  }

  show(picture) {
    const isAsked = this.next !== null;
    this.forgetNext();
    this.next = picture;
    if (!isAsked) requestAnimationFrame(() => this.drawNext());
  }

  drawNext() {
    if (!this.next) return;
    const { image, frame, consumed } = this.next;
    this.next = null;
    this.draw(image, image.displayWidth ?? image.width, image.displayHeight ?? image.height);
    this.frame = { ...frame, data: null };
    delete this.canvas.dataset.old;
    image.close();
    consumed();
    this.onDrawn(this.frame);
  }

  draw(image, width, height) {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.context.drawImage(image, 0, 0, width, height);
  }

  forgetNext() {
    if (!this.next) return;
    this.next.image.close();
    this.next.consumed();
    this.next = null;
  }
}
