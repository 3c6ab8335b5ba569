// The ways in which a picture can be spoilt on its way.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spoiling {
  NO_TABLES,   // The Huffman tables are absent, as from many cameras. Decoders use the standard's.
  PADDING,     // Zeros follow EOI, up to the next 1,024 bytes and 1,024 more.
  NO_END,      // EOI and the two bytes before it are missing.
  CUT,         // The second half is missing.
  TORN,        // A quarter in the middle is missing.
  GARBAGE,     // As many bytes as the picture has, which belong to no picture.
  OTHER_SIZE,  // A whole picture of another size: 320 x 180.
  ERROR_BIT,   // The picture is whole, but the headers of its payloads mark it as broken.
  SPOILINGS
};

extern const char *const spoiling_names[SPOILINGS];

// For each way of spoiling: the pictures whose number leaves `remainder` when divided by `every` are spoilt. None with
// 0.
struct spoilt {
  struct {
    unsigned every, remainder;
  } of[SPOILINGS];
};

bool is_spoilt(const struct spoilt *spoilt, enum spoiling spoiling, uint64_t number);

// Spoils a picture of `length` bytes in all ways that apply, except OTHER_SIZE and ERROR_BIT. Returns the new length,
// which may be larger.
size_t spoil(const struct spoilt *spoilt, uint64_t number, uint8_t *bytes, size_t length);
