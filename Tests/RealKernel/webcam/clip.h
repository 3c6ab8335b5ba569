// Coded video that the camera sends in turn, from a file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads a clip: for each picture its length in four bytes, the lowest first, and its bytes. Returns false when the file
// is not such a clip.
bool clip_read(const char *path);
// Copies the picture of this number, counted around the clip. Returns its length.
size_t clip_picture(uint64_t number, uint8_t *bytes);
