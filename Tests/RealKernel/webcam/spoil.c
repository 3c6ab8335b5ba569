#include "spoil.h"

#include <string.h>

const char *const spoiling_names[SPOILINGS] = {"no-tables", "padding", "no-end",     "cut",
                                               "torn",      "garbage", "other-size", "error-bit"};

bool is_spoilt(const struct spoilt *spoilt, enum spoiling spoiling, uint64_t number) {
  const unsigned every = spoilt->of[spoiling].every;
  return every > 0 && number % every == spoilt->of[spoiling].remainder;
}

static size_t without_tables(uint8_t *bytes, size_t length) {
  for (size_t at = 2; at + 4 <= length && bytes[at] == 0xff && bytes[at + 1] != 0xda;) {
    const size_t next = at + 2 + (bytes[at + 2] << 8 | bytes[at + 3]);
    if (bytes[at + 1] != 0xc4 || next > length) {
      at = next;
      continue;
    }
    memmove(bytes + at, bytes + next, length - next);
    length -= next - at;
  }
  return length;
}

static void garble(uint64_t number, uint8_t *bytes, size_t length) {
  uint32_t state = (uint32_t)number * 2654435761u + 1;
  for (size_t at = 0; at < length; at++) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    // The bytes are never 0xFF, with which every marker of a JPEG begins.
    bytes[at] = state % 255;
  }
}

size_t spoil(const struct spoilt *spoilt, uint64_t number, uint8_t *bytes, size_t length) {
  if (is_spoilt(spoilt, NO_TABLES, number)) length = without_tables(bytes, length);
  if (is_spoilt(spoilt, TORN, number)) {
    memmove(bytes + length / 2, bytes + length / 4 * 3, length - length / 4 * 3);
    length -= length / 4 * 3 - length / 2;
  }
  if (is_spoilt(spoilt, CUT, number)) length /= 2;
  if (is_spoilt(spoilt, NO_END, number)) length -= 4;
  if (is_spoilt(spoilt, PADDING, number)) {
    const size_t padded = (length + 2047) / 1024 * 1024;
    memset(bytes + length, 0, padded - length);
    length = padded;
  }
  if (is_spoilt(spoilt, GARBAGE, number)) garble(number, bytes, length);
  return length;
}
