// Reads and writes protobuf messages by the tables in generated/messages.js.
//
// A message is a plain object. Numbers of 64 bits are BigInt, enums are the names of their values without the common
// prefix (a number where this page does not know the value), bytes are Uint8Array views into the read buffer. A field
// that is not set has the default of its type, except messages, 'optional' fields and fields of a oneof, which are
// undefined. A oneof NAME tells under its own name which of its fields is set.

import { enums, messages } from './generated/messages.js';

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

const scalars = {
  bool: { wireType: VARINT, empty: false, read: (reader) => reader.varint() !== 0n, write: (writer, value) => writer.varint(value ? 1 : 0) },
  int32: { wireType: VARINT, empty: 0, read: (reader) => Number(BigInt.asIntN(32, reader.varint())), write: (writer, value) => writer.varint(value) },
  uint32: { wireType: VARINT, empty: 0, read: (reader) => Number(reader.varint()), write: (writer, value) => writer.varint(value) },
  int64: { wireType: VARINT, empty: 0n, read: (reader) => BigInt.asIntN(64, reader.varint()), write: (writer, value) => writer.varint(value) },
  uint64: { wireType: VARINT, empty: 0n, read: (reader) => reader.varint(), write: (writer, value) => writer.varint(value) },
  double: { wireType: FIXED64, empty: 0, read: (reader) => reader.double(), write: (writer, value) => writer.double(value) },
  string: { wireType: DELIMITED, empty: '', read: (reader) => decoder.decode(reader.bytes()), write: (writer, value) => writer.bytes(encoder.encode(value)) },
  bytes: { wireType: DELIMITED, empty: new Uint8Array(0), read: (reader) => reader.bytes(), write: (writer, value) => writer.bytes(value) },
};

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const codecs = new Map(Object.entries(scalars));
const defaults = new Map();
const numbers = new Map();

/** Reads a message of the named type from bytes. */
export function decode(type, bytes) {
  return readMessage(type, new Reader(bytes));
}

/** Writes a message of the named type to bytes. */
export function encode(type, message) {
  const writer = new Writer();
  writeMessage(type, message, writer);
  return writer.finish();
}

function readMessage(type, reader) {
  const fields = messages[type];
  const message = emptyMessage(type);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const field = fields[tag >>> 3];
    if (!field) {
      reader.skip(tag & 7);
      continue;
    }
    const [name, kind, rule] = field;
    const codec = codecFor(kind);
    if (rule === 'repeated') {
      if ((tag & 7) === DELIMITED && codec.wireType !== DELIMITED) {
        const packed = new Reader(reader.bytes());
        while (!packed.isAtEnd) message[name].push(codec.read(packed));
      } else {
        message[name].push(codec.read(reader));
      }
    } else {
      message[name] = codec.read(reader);
      if (rule?.startsWith('oneof ')) message[rule.slice(6)] = name;
    }
  }
  return message;
}

function writeMessage(type, message, writer) {
  for (const [number, [name, kind, rule]] of Object.entries(messages[type])) {
    const value = message[name];
    if (value === undefined || value === null) continue;
    const codec = codecFor(kind);
    for (const each of rule === 'repeated' ? value : [value]) {
      writer.varint((Number(number) << 3) | codec.wireType);
      codec.write(writer, each);
    }
  }
}

/** A message without any field, made of the template of its type. */
function emptyMessage(type) {
  let template = defaults.get(type);
  if (!template) {
    template = Object.values(messages[type]).filter(([, kind, rule]) => rule === 'repeated' || (!rule && !messages[kind]));
    defaults.set(type, template);
  }
  const message = {};
  for (const [name, kind, rule] of template) message[name] = rule === 'repeated' ? [] : codecFor(kind).empty;
  return message;
}

/** How values of a type are read and written. */
function codecFor(kind) {
  let codec = codecs.get(kind);
  if (!codec) {
    codec = messages[kind] ? messageCodec(kind) : enumCodec(kind);
    codecs.set(kind, codec);
  }
  return codec;
}

function messageCodec(kind) {
  return {
    wireType: DELIMITED,
    read: (reader) => readMessage(kind, new Reader(reader.bytes())),
    write: (writer, value) => writer.bytes(encode(kind, value)),
  };
}

function enumCodec(kind) {
  const names = enums[kind];
  numbers.set(kind, new Map(Object.entries(names).map(([number, name]) => [name, Number(number)])));
  return {
    wireType: VARINT,
    empty: names[0],
    read: (reader) => {
      const number = Number(reader.varint());
      return names[number] ?? number;
    },
    write: (writer, value) => writer.varint(numbers.get(kind).get(value) ?? value),
  };
}

class Reader {
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

class Writer {
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
