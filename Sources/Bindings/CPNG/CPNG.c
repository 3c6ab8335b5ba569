#include "CPNG.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
  uint8_t *bytes;
  size_t count;
  size_t capacity;
  char *message;
} output;

static void fail(png_structp png, png_const_charp message) {
  const output *const out = png_get_error_ptr(png);
  snprintf(out->message, 160, "%s", message);
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void append(png_structp png, png_bytep bytes, size_t count) {
  output *const out = png_get_io_ptr(png);
  if (count > out->capacity - out->count) {
    size_t capacity = out->capacity ? 2 * out->capacity : 1 << 20;
    while (capacity - out->count < count) capacity *= 2;
    uint8_t *const grown = realloc(out->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    out->bytes = grown;
    out->capacity = capacity;
  }
  memcpy(out->bytes + out->count, bytes, count);
  out->count += count;
}

static void flush(png_structp png) {
  (void)png;
}

// libpng leaves this function by longjmp on an error. Everything that must survive that jump lies in the caller's
// memory, and nothing in this function's local variables.
static int write_all(png_structp png, png_infop info, const cpng_picture *picture, const uint8_t *exif,
                     size_t exif_count) {
  if (setjmp(png_jmpbuf(png))) return 0;
  png_set_user_limits(png, 65535, 65535);
  png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
               picture->is_grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (exif_count > 0) png_set_eXIf_1(png, info, (png_uint_32)exif_count, (png_bytep)exif);
  // The noise of a camera hardly compresses. The fastest level is therefore enough, with the filter that saves the most
  // bytes for the least work.
  png_set_compression_level(png, 1);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_write_info(png, info);
  for (int row = 0; row < picture->height; row++) png_write_row(png, picture->pixels + picture->stride * row);
  // `info` is not passed again, because libpng would write its chunks a second time.
  png_write_end(png, NULL);
  return 1;
}

uint8_t *cpng_write(const cpng_picture *picture, const uint8_t *exif, size_t exif_count, size_t *count,
                    char message[160]) {
  output out = {.message = message};
  snprintf(message, 160, "out of memory");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &out, fail, ignore);
  if (!png) return NULL;
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, append, flush);
  const int is_written = info && write_all(png, info, picture, exif, exif_count);
  png_destroy_write_struct(&png, &info);
  *count = out.count;
  if (is_written) return out.bytes;
  free(out.bytes);
  return NULL;
}
