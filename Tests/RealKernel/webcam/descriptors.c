#include "descriptors.h"

#include <stdbool.h>
#include <string.h>

#include "formats.h"

enum { DEVICE = 1, CONFIGURATION = 2, STRING = 3, INTERFACE = 4, ENDPOINT = 5, QUALIFIER = 6, ASSOCIATION = 11 };
enum { CLASS_SPECIFIC = 0x24, VIDEO = 0x0e, MAKER = 1, PRODUCT = 2, SERIAL = 3 };

// A position in a buffer: the bytes written so far, and where the present descriptor begins.
struct writer {
  uint8_t *bytes;
  size_t length, begin;
};

static void put(struct writer *writer, unsigned size, uint32_t value) {
  for (unsigned index = 0; index < size; index++) writer->bytes[writer->length++] = value >> (8 * index);
}

static void begin(struct writer *writer) {
  writer->begin = writer->length;
  put(writer, 1, 0);
}

static void end(struct writer *writer) {
  writer->bytes[writer->begin] = writer->length - writer->begin;
}

// Writes a descriptor whose fields are single bytes.
#define DESCRIPTOR(writer, ...)                                               \
  do {                                                                        \
    const uint8_t fields[] = {__VA_ARGS__};                                   \
    begin(writer);                                                            \
    for (size_t at = 0; at < sizeof fields; at++) put(writer, 1, fields[at]); \
    end(writer);                                                              \
  } while (false)

// Writes a total length, which was not known before, into two bytes at `at`.
static void patch(const struct writer *writer, size_t at, size_t value) {
  writer->bytes[at] = value & 0xff;
  writer->bytes[at + 1] = value >> 8;
}

static void write_sizes(struct writer *writer, const struct identity *identity, unsigned format) {
  const struct size *sizes;
  const uint32_t *intervals;
  const unsigned count = format_sizes(format, &sizes), rates = format_intervals(&intervals);
  for (unsigned index = 0; index < count; index++) {
    const uint32_t bytes = sizes[index].width * sizes[index].height * 2;
    begin(writer);
    put(writer, 1, CLASS_SPECIFIC);
    put(writer, 1, format == YUYV ? 5 : format == H264 ? 17 : 7);
    put(writer, 1, index + 1);
    put(writer, 1, 0);
    put(writer, 2, sizes[index].width);
    put(writer, 2, sizes[index].height);
    put(writer, 4, bytes * 8 * 5);
    put(writer, 4, bytes * 8 * 30);
    // A frame-based format tells no size of its pictures, and bytes per line only where all lines have as many.
    if (format != H264) put(writer, 4, bytes);
    put(writer, 4, identity->default_interval);
    put(writer, 1, rates);
    if (format == H264) put(writer, 4, 0);
    for (unsigned rate = 0; rate < rates; rate++) put(writer, 4, intervals[rate]);
    end(writer);
  }
  // The colours: BT.709 primaries and transfer function, and the matrix of BT.601, as JPEG has them.
  DESCRIPTOR(writer, CLASS_SPECIFIC, 13, 1, 1, 4);
}

static void write_guid(struct writer *writer, const char code[4]) {
  static const uint8_t rest[12] = {0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
  for (size_t index = 0; index < 4; index++) put(writer, 1, code[index]);
  for (size_t index = 0; index < sizeof rest; index++) put(writer, 1, rest[index]);
}

// Writes a format with a GUID: an uncompressed one, or a frame-based one (USB Video Class 1.1, frame based payload,
// 3.1.1).
static void write_format(struct writer *writer, const struct identity *identity, unsigned format, const char code[4]) {
  const struct size *sizes;
  begin(writer);
  put(writer, 1, CLASS_SPECIFIC);
  put(writer, 1, format == H264 ? 16 : 4);
  put(writer, 1, format);
  put(writer, 1, format_sizes(format, &sizes));
  write_guid(writer, code);
  put(writer, 1, 16);
  put(writer, 1, 1);
  put(writer, 4, 0);
  // The pictures of a frame-based format differ in length.
  if (format == H264) put(writer, 1, 1);
  end(writer);
  write_sizes(writer, identity, format);
}

static void write_stream_interface(struct writer *writer, const struct identity *identity) {
  const struct size *sizes;
  DESCRIPTOR(writer, INTERFACE, STREAM_INTERFACE, 0, 1, VIDEO, 2, 0, 0);
  const size_t header = writer->length;
  begin(writer);
  const unsigned formats = identity->has_video ? 3 : 2;
  const uint8_t fields[] = {CLASS_SPECIFIC, 1, formats, 0, 0, 0x80 | STREAM_ENDPOINT, 0, 3, 0, 0, 0, 1};
  for (size_t at = 0; at < sizeof fields; at++) put(writer, 1, fields[at]);
  // The controls of each format, of which there are none.
  for (unsigned format = 0; format < formats; format++) put(writer, 1, 0);
  end(writer);
  DESCRIPTOR(writer, CLASS_SPECIFIC, 6, MJPG, format_sizes(MJPG, &sizes), 0, 1, 0, 0, 0, 0);
  write_sizes(writer, identity, MJPG);
  write_format(writer, identity, YUYV, "YUY2");
  if (identity->has_video) write_format(writer, identity, H264, "H264");
  patch(writer, header + 4, writer->length - header);
  DESCRIPTOR(writer, ENDPOINT, 0x80 | STREAM_ENDPOINT, 2, 0, 2, 0);
}

static void write_control_interface(struct writer *writer) {
  DESCRIPTOR(writer, INTERFACE, CONTROL_INTERFACE, 0, 0, VIDEO, 1, 0, 0);
  const size_t header = writer->length;
  DESCRIPTOR(writer, CLASS_SPECIFIC, 1, 0x10, 1, 0, 0, CLOCK_FREQUENCY & 0xff, CLOCK_FREQUENCY >> 8 & 0xff,
             CLOCK_FREQUENCY >> 16 & 0xff, CLOCK_FREQUENCY >> 24, 1, STREAM_INTERFACE);
  // Bits of the controls. Camera terminal: exposure mode 1, exposure time 3, focus 5, automatic focus 17. Processing
  // unit: brightness 0, gain 9.
  DESCRIPTOR(writer, CLASS_SPECIFIC, 2, CAMERA_TERMINAL, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x2a, 0, 2);
  DESCRIPTOR(writer, CLASS_SPECIFIC, 5, PROCESSING_UNIT, CAMERA_TERMINAL, 0, 0, 2, 1, 2, 0, 0);
  DESCRIPTOR(writer, CLASS_SPECIFIC, 3, 3, 1, 1, 0, PROCESSING_UNIT, 0);
  patch(writer, header + 5, writer->length - header);
}

static void write_configuration(struct writer *writer, const struct identity *identity) {
  DESCRIPTOR(writer, CONFIGURATION, 0, 0, 2, 1, 0, 0x80, 250);
  DESCRIPTOR(writer, ASSOCIATION, 0, 2, VIDEO, 3, 0, 0);
  write_control_interface(writer);
  write_stream_interface(writer, identity);
  patch(writer, 2, writer->length);
}

static void write_string(struct writer *writer, const char *text) {
  begin(writer);
  put(writer, 1, STRING);
  for (; *text != 0; text++) put(writer, 2, (uint8_t)*text);
  end(writer);
}

size_t describe(const struct identity *identity, uint8_t type, uint8_t index, uint8_t bytes[1024]) {
  struct writer writer = {bytes, 0, 0};
  const bool numbered = identity->serial[0] != 0;
  switch (type) {
    case DEVICE:
      DESCRIPTOR(&writer, DEVICE, 0, 2, 0xef, 2, 1, 64, 0x6b, 0x1d, 0x02, 0x01, 0, 1, MAKER, PRODUCT,
                 numbered ? SERIAL : 0, 1);
      break;
    case QUALIFIER:
      DESCRIPTOR(&writer, QUALIFIER, 0, 2, 0xef, 2, 1, 64, 1, 0);
      break;
    case CONFIGURATION:
      write_configuration(&writer, identity);
      break;
    case STRING:
      if (index == 0) DESCRIPTOR(&writer, STRING, 9, 4);
      if (index == MAKER) write_string(&writer, "Example");
      if (index == PRODUCT) write_string(&writer, identity->product);
      if (index == SERIAL && numbered) write_string(&writer, identity->serial);
      break;
  }
  return writer.length;
}
