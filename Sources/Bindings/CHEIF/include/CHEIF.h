// Encodes HEIC with libheif. The module loads libheif only when the first picture is encoded, because libheif also
// loads x265, libde265, dav1d and libaom. A daemon whose clients never ask for HEIC would otherwise spend that time and
// memory at every start.
#ifndef CHEIF_H
#define CHEIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A picture in 4:2:0, full-range BT.601. The caller lends the picture for the call.
typedef struct cheif_picture {
  const uint8_t *_Nonnull y;
  const uint8_t *_Nonnull u;
  const uint8_t *_Nonnull v;
  /// The bytes from line to line. A stride of 0 uses the same line for the whole plane.
  ptrdiff_t y_stride;
  ptrdiff_t u_stride;
  ptrdiff_t v_stride;
  int width;
  int height;
} cheif_picture;

/// Returns whether libheif is installed and, once it was loaded, whether it can encode HEVC. Any thread may call this
/// function.
///
/// The first call searches the file system, and loads libheif when only the loader's cache knows its folder; see
/// clibrary_is_installed. Other threads wait for that search. Later calls return at once.
bool cheif_is_available(void);

/// Encodes a HEIC file in sRGB, on the calling thread and one more thread of the same niceness.
///
/// - thumbnail: a smaller picture that the file holds beside `picture`; null for none.
/// - quality: 1 to 100.
/// - exif, exif_count: a TIFF file, borrowed for the call; a count of 0 embeds none.
/// - count: on success, the number of bytes of the file.
/// - message: on failure, a terminated text without a full stop.
/// - Returns: the file, which the caller owns and ends with free; null on failure. cheif_is_available then tells
///   whether the library was missing.
uint8_t *_Nullable cheif_write(const cheif_picture *_Nonnull picture, const cheif_picture *_Nullable thumbnail,
                               int quality, const uint8_t *_Nullable exif, size_t exif_count, size_t *_Nonnull count,
                               char message[_Nonnull 160]);

#ifdef __cplusplus
}
#endif
#endif
