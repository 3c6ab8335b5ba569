// The bytes of protobuf's wire format (https://protobuf.dev/programming-guides/encoding/).

/** The wire types: how the bytes of a field are laid out. */
export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
const FIXED32 = 5;

/** Reads the parts of a message one after the other. */
export class Reader {
  constructor(bytes) {
    this.buffer = bytes;
    this.position = 0;
  }

  get isAtEnd() {
    return this.position >= this.buffer.length;
  }

  /** A number of up to 64 bits without a sign. */
  varint() {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.buffer[this.position++];
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.buffer[this.position++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('A number in a message is longer than ten bytes.');
  }

  bytes() {
    const end = Number(this.varint()) + this.position;
    if (end > this.buffer.length) throw new Error('A message ends in the middle of a field.');
    const bytes = this.buffer.subarray(this.position, end);
    this.position = end;
    return bytes;
  }

  double() {
    const view = new DataView(this.buffer.buffer, this.buffer.byteOffset + this.position, 8);
    this.position += 8;
    return view.getFloat64(0, true);
  }

  skip(wireType) {
    if (wireType === VARINT) this.varint();
    else if (wireType === FIXED64) this.position += 8;
    else if (wireType === DELIMITED) this.bytes();
    else if (wireType === FIXED32) this.position += 4;
    else throw new Error(`A message has a field of the unknown wire type ${wireType}.`);
  }
}

/** Writes the parts of a message one after the other. */
export class Writer {
  constructor() {
    this.pieces = [];
  }

  varint(value) {
    let rest = BigInt.asUintN(64, BigInt(value));
    const piece = [];
    while (rest > 127n) {
      piece.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    piece.push(Number(rest));
    this.pieces.push(Uint8Array.from(piece));
  }

  bytes(value) {
    this.varint(value.length);
    this.pieces.push(value);
  }

  double(value) {
    this.pieces.push(new Uint8Array(new Float64Array([value]).buffer));
  }

  finish() {
    const bytes = new Uint8Array(this.pieces.reduce((sum, piece) => sum + piece.length, 0));
    let position = 0;
    for (const piece of this.pieces) {
      bytes.set(piece, position);
      position += piece.length;
    }
    return bytes;
  }
}
