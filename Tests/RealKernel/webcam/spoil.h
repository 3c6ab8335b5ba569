// What goes wrong with pictures on their way.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spoiling {
  NO_TABLES,   // The Huffman tables are left out, as many cameras do: the standard's are meant.
  PADDING,     // Zeros after EOI, up to the next 1,024 bytes and 1,024 more.
  NO_END,      // EOI is missing, and the two bytes before it.
  CUT,         // The second half is missing.
  TORN,        // A quarter in the middle is missing.
  GARBAGE,     // As many bytes, none of which is of a picture.
  OTHER_SIZE,  // A whole picture of another size: 320 x 180.
  ERROR_BIT,   // The picture is as it was, but the header of its payloads says that it is not.
  SPOILINGS
};

extern const char *const spoiling_names[SPOILINGS];

// Each spoils the pictures whose number leaves `remainder` when divided by `every`; none with 0.
struct spoilt {
  struct {
    unsigned every, remainder;
  } of[SPOILINGS];
};

bool is_spoilt(const struct spoilt *spoilt, enum spoiling spoiling, uint64_t number);

// Spoils a picture of `length` bytes in what is not OTHER_SIZE nor ERROR_BIT. Returns how long it is now.
size_t spoil(const struct spoilt *spoilt, uint64_t number, uint8_t *bytes, size_t length);
