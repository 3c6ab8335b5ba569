// EXIF by libexif: what a photo's file tells of how it came to be, as the block that JPEG, HEIC and PNG embed alike.
#ifndef CEXIF_H
#define CEXIF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What to tell. What is null, or 0 where it says so, becomes no tag. Everything is borrowed for the call.
typedef struct cexif_photo {
  int width;
  int height;
  /// When it was captured: seconds since the Unix epoch, and nanoseconds of the next one.
  int64_t seconds;
  int32_t nanoseconds;
  const char *_Nullable model;
  const char *_Nullable software;
  /// Free text in ASCII.
  const char *_Nullable comment;
  /// Seconds as a fraction; none when the denominator is 0.
  uint32_t exposure_numerator;
  uint32_t exposure_denominator;
  /// Whether a flash lit it: 1 or 0; less when that is not known.
  int flash;
  /// Whether it goes into a JPEG, which has tags of its own.
  int is_jpeg;
  /// A JPEG picture, at most 60,000 bytes.
  const uint8_t *_Nullable thumbnail;
  size_t thumbnail_count;
} cexif_photo;

/// Writes the block: "Exif", two zeros, then a TIFF file. Times are local, with their offset from UTC.
///
/// - Returns: owned by the caller, who ends it with free; null when out of memory.
uint8_t *_Nullable cexif_write(const cexif_photo *_Nonnull photo, size_t *_Nonnull count);

#ifdef __cplusplus
}
#endif
#endif
