// Pictures of the scene as the camera sends them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats.h"
#include "scene.h"

// The largest number of bytes of a picture.
#define MAXIMUM_PICTURE (1 << 20)

// Writes a picture in a format and a size into `bytes`, which has MAXIMUM_PICTURE bytes. Returns the picture's length.
size_t make_picture(const struct scene *scene, unsigned format, struct size size, uint8_t *bytes);
