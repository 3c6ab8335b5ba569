#include "timing.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "parameter_sets.h"

// The most bytes of a sequence parameter set. Those of x264 have some 30.
enum { MAX_SET = 256 };

// The bytes of a unit without the bytes that keep start codes out of it (7.4.1). Returns 0 when there are too many.
static size_t unescape(const uint8_t *unit, size_t count, uint8_t plain[MAX_SET]) {
  size_t length = 0, zeros = 0;
  for (size_t i = 0; i < count; i++) {
    const bool escapes = zeros >= 2 && unit[i] == 3;
    zeros = unit[i] == 0 ? zeros + 1 : 0;
    if (escapes) continue;
    if (length == MAX_SET) return 0;
    plain[length++] = unit[i];
  }
  return length;
}

static size_t escape(const uint8_t *plain, size_t count, uint8_t unit[2 * MAX_SET]) {
  size_t length = 0, zeros = 0;
  for (size_t i = 0; i < count; i++) {
    if (zeros == 2 && plain[i] <= 3) {
      unit[length++] = 3;
      zeros = 0;
    }
    unit[length++] = plain[i];
    zeros = plain[i] == 0 ? zeros + 1 : 0;
  }
  return length;
}

static uint32_t bits(const uint8_t *bytes, size_t first, size_t count) {
  uint32_t value = 0;
  for (size_t bit = first; bit < first + count; bit++) value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
  return value;
}

static void put_bits(uint8_t *bytes, size_t first, size_t count, uint32_t value) {
  for (size_t i = 0; i < count; i++) {
    const size_t bit = first + i;
    const uint8_t mask = (uint8_t)(1 << (7 - bit % 8));
    bytes[bit / 8] = (uint8_t)(value >> (count - 1 - i) & 1 ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
  }
}

// Returns whether the set names the former rate.
static bool change(uint8_t *plain, size_t count, AVRational former, AVRational rate) {
  const uint32_t ticks = (uint32_t)former.den, scale = 2 * (uint32_t)former.num;
  for (size_t bit = 0; bit + 66 <= count * 8; bit++) {
    // timing_info_present_flag, num_units_in_tick, time_scale, fixed_frame_rate_flag
    if (!bits(plain, bit, 1) || bits(plain, bit + 1, 32) != ticks || bits(plain, bit + 33, 32) != scale) continue;
    put_bits(plain, bit + 1, 32, (uint32_t)rate.den);
    put_bits(plain, bit + 33, 32, 2 * (uint32_t)rate.num);
    put_bits(plain, bit + 65, 1, 0);
    return true;
  }
  return false;
}

void cvideo_write_timing(AVPacket *packet, AVRational former, AVRational rate) {
  const uint8_t *const end = packet->data + packet->size;
  const uint8_t *code = cvideo_start_code(packet->data, end);
  while (end - code > 3 && (code[3] & 0x1f) != 7) code = cvideo_start_code(code + 3, end);
  if (end - code <= 3) return;
  uint8_t *const unit = (uint8_t *)code + 3;
  const uint8_t *const unit_end = cvideo_unit_end(unit, cvideo_start_code(unit, end));
  uint8_t plain[MAX_SET], changed[2 * MAX_SET];
  const size_t count = unescape(unit, (size_t)(unit_end - unit), plain);
  if (!change(plain, count, former, rate)) return;
  const size_t length = escape(plain, count, changed);
  const ptrdiff_t growth = (ptrdiff_t)length - (unit_end - unit);
  if (growth > AV_INPUT_BUFFER_PADDING_SIZE) return;
  memmove(unit + length, unit_end, (size_t)(end - unit_end));
  memcpy(unit, changed, length);
  packet->size += (int)growth;
}
