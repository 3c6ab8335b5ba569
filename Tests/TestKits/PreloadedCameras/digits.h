// Draws the number of a frame into its picture, as the driver vivid does.
#ifndef PRELOADED_CAMERAS_DIGITS_H
#define PRELOADED_CAMERAS_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

#include "modes.h"

#pragma GCC visibility push(hidden)

// Reads the glyphs of the digits. Returns false when there is no such file.
bool read_digits(const char *path);

// Draws the number in white on black, from its first digit on, and blanks behind it. Into a JPEG, which must begin with
// a comment of at least ten bytes, it writes the digits and blanks as this comment.
void draw_number(uint8_t *picture, const mode *mode, uint32_t number);

#pragma GCC visibility pop

#endif
