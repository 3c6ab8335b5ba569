// Writes EXIF with libexif: the facts about a photo's origin, as the block that JPEG, HEIC and PNG embed alike.
#ifndef CEXIF_H
#define CEXIF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The facts that EXIF records. A member that is null, or that has the value which its comment calls unknown, gets no
/// tag. The caller lends all memory for the call.
typedef struct cexif_photo {
  int width;
  int height;
  /// The time of the capture: seconds since the Unix epoch, and nanoseconds within the next second.
  int64_t seconds;
  int32_t nanoseconds;
  const char *_Nullable model;
  const char *_Nullable software;
  /// Free text in ASCII.
  const char *_Nullable comment;
  /// The exposure time as a fraction of seconds. A denominator of 0 means unknown.
  uint32_t exposure_numerator;
  uint32_t exposure_denominator;
  /// 1 when a flash lit the scene, 0 when none did, and a negative number when that is unknown.
  int flash;
  /// 1 when the block goes into a JPEG, which has EXIF tags of its own, else 0.
  int is_jpeg;
  /// A thumbnail in JPEG of at most 60,000 bytes; null for none.
  const uint8_t *_Nullable thumbnail;
  size_t thumbnail_count;
} cexif_photo;

/// Writes the EXIF block: "Exif", two zeros, then a TIFF file. Times are local times with their offset from UTC.
///
/// - count: on return, the number of bytes of the block.
/// - Returns: the block, which the caller owns and ends with free; null when out of memory.
uint8_t *_Nullable cexif_write(const cexif_photo *_Nonnull photo, size_t *_Nonnull count);

#ifdef __cplusplus
}
#endif
#endif
