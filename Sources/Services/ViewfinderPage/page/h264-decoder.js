// Decodes H.264 pictures in Annex B format by WebCodecs. Every picture goes to the decoder, because later pictures are
// made from earlier ones. A picture counts as consumed when the decoder has taken it, because a decoder may keep a few
// pictures before it gives the first.

/** Whether this browser decodes H.264 for pages of this origin. */
export const decodesH264 = 'VideoDecoder' in globalThis;

export class H264Decoder {
  /** `show` is called with each picture: { image, frame, consumed }. `fail` is called when no further picture comes. */
  constructor(show, fail) {
    this.show = show;
    this.fail = fail;
    this.parameters = '';
    this.timestamp = 0;
    /** The pictures that the decoder has not given back, by their time stamps. */
    this.frames = new Map();
    /** What to call when the decoder takes the pictures that wait, in their order. */
    this.waiting = [];
  }

  decode({ frame, consumed }) {
    if (frame.keyFrame) this.configure(frame.data);
    if (!this.decoder || this.decoder.state !== 'configured') {
      consumed();
      return;
    }
    this.timestamp += 1;
    this.frames.set(this.timestamp, frame);
    this.waiting.push(consumed);
    const type = frame.keyFrame ? 'key' : 'delta';
    this.decoder.decode(new EncodedVideoChunk({ type, timestamp: this.timestamp, data: frame.data }));
    this.dequeued();
  }

  close() {
    if (this.decoder && this.decoder.state !== 'closed') this.decoder.close();
    this.decoder = null;
    this.frames.clear();
    for (const consumed of this.waiting.splice(0)) consumed();
  }

  /** Prepares the decoder for the parameters of a key frame, where they are not those of the last one. */
  configure(data) {
    const sps = sequenceParameters(data);
    if (!sps) return;
    const parameters = sps.join();
    if (parameters === this.parameters && this.decoder?.state === 'configured') return;
    this.close();
    this.parameters = parameters;
    const decoder = new VideoDecoder({
      output: (image) => this.decoded(image),
      error: (error) => { if (decoder === this.decoder) this.fail(error); },
    });
    decoder.addEventListener('dequeue', () => { if (decoder === this.decoder) this.dequeued(); });
    const [profile, constraints, level] = sps.slice(1, 4);
    decoder.configure({ codec: `avc1.${hexadecimal(profile, constraints, level)}`, optimizeForLatency: true });
    this.decoder = decoder;
  }

  decoded(image) {
    const frame = this.frames.get(image.timestamp);
    for (const timestamp of this.frames.keys()) {
      if (timestamp > image.timestamp) break;
      this.frames.delete(timestamp);
    }
    if (frame) this.show({ image, frame, consumed: () => {} });
    else image.close();
  }

  dequeued() {
    const taken = this.waiting.length - this.decoder.decodeQueueSize;
    for (const consumed of this.waiting.splice(0, Math.max(0, taken))) consumed();
  }
}

/** The sequence parameter set of a picture in Annex B format: the first NAL unit of type 7, with its header. */
function sequenceParameters(data) {
  const starts = [];
  for (let index = 0; index + 3 < data.length && starts.length < 8; index += 1) {
    if (data[index] === 0 && data[index + 1] === 0 && data[index + 2] === 1) starts.push(index + 3);
  }
  const number = starts.findIndex((start) => (data[start] & 0x1f) === 7);
  if (number < 0) return null;
  return data.slice(starts[number], (starts[number + 1] ?? data.length + 3) - 3);
}

function hexadecimal(...bytes) {
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('').toUpperCase();
}
