// Reads and writes protobuf messages by the tables in generated/messages.js.
//
// A message is a plain object. Numbers of 64 bits are BigInt, enums are the names of their values without the common
// prefix (a number where this page does not know the value), bytes are Uint8Array views into the read buffer. A field
// that is not set has the default of its type, except messages, 'optional' fields and fields of a oneof, which are
// undefined. A oneof NAME tells under its own name which of its fields is set.

import { enums, messages } from './generated/messages.js';
import { DELIMITED, FIXED64, Reader, VARINT, Writer } from './wire-bytes.js';

/** The codec of a number that is written as a varint. `read` makes the value of the number. */
const varint = (empty, read) => ({
  wireType: VARINT,
  empty,
  read: (reader) => read(reader.varint()),
  write: (writer, value) => writer.varint(value),
});

/** The codec of bytes with their length before them. */
const delimited = (empty, read, write) => ({
  wireType: DELIMITED,
  empty,
  read: (reader) => read(reader.bytes()),
  write: (writer, value) => writer.bytes(write(value)),
});

const scalars = {
  bool: varint(false, (value) => value !== 0n),
  int32: varint(0, (value) => Number(BigInt.asIntN(32, value))),
  uint32: varint(0, Number),
  int64: varint(0n, (value) => BigInt.asIntN(64, value)),
  uint64: varint(0n, (value) => value),
  string: delimited('', (bytes) => decoder.decode(bytes), (value) => encoder.encode(value)),
  bytes: delimited(new Uint8Array(0), (bytes) => bytes, (value) => value),
  double: {
    wireType: FIXED64,
    empty: 0,
    read: (reader) => reader.double(),
    write: (writer, value) => writer.double(value),
  },
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
    const hasDefault = ([, kind, rule]) => rule === 'repeated' || (!rule && !messages[kind]);
    template = Object.values(messages[type]).filter(hasDefault);
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
