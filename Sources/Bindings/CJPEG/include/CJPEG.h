// libjpeg-turbo with its planes as they are, its errors as results.
//
// libjpeg reports errors by a callback that must not return; these functions catch that with setjmp, which Swift
// cannot do. Nothing here ever exits the process, prints, or unwinds into the caller.
// Thread-bound: one object, one thread at a time.
#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cjpeg_result {
  CJPEG_OK = 0,
  /// The output memory is too small; start again with more.
  CJPEG_BUFFER_FULL = 1,
  /// The data is no JPEG, is cut off, or is damaged; or its Cb and Cr are sampled differently.
  CJPEG_DAMAGED = 2,
  /// A valid JPEG that is neither YCbCr nor grey.
  CJPEG_UNSUPPORTED = 3,
  /// libjpeg refused: see the message.
  CJPEG_FAILED = 4,
} cjpeg_result;

/// Writes JFIF pictures: 4:2:0 YCbCr or grey.
typedef struct cjpeg_encoder cjpeg_encoder;

/// Returns NULL when out of memory. The caller owns the encoder and ends it with cjpeg_encoder_destroy.
cjpeg_encoder *_Nullable cjpeg_encoder_create(void);
void cjpeg_encoder_destroy(cjpeg_encoder *_Nonnull encoder);

/// Begins a picture, dropping an unfinished one. `components` is 3 or 1 (grey); `quality` 1 to 100.
/// `output` stays the caller's: it is borrowed until finish, the next start or destroy, and written up to `capacity`.
cjpeg_result cjpeg_encoder_start(cjpeg_encoder *_Nonnull encoder, uint8_t *_Nonnull output, size_t capacity, int width,
                                 int height, int components, int quality);

/// Embeds an EXIF block of at most 65,533 bytes, borrowed for the call. After start, before the first line.
cjpeg_result cjpeg_encoder_write_exif(cjpeg_encoder *_Nonnull encoder, const uint8_t *_Nonnull exif, size_t count);

/// Encodes the next 16 lines (fewer only at the bottom: `rows`), full-range BT.601. The planes are borrowed for the
/// call. Each line must be readable up to a multiple of 8 samples (16 pixels); `u` and `v` are NULL for grey.
cjpeg_result cjpeg_encoder_write(cjpeg_encoder *_Nonnull encoder, const uint8_t *_Nonnull y, ptrdiff_t y_stride,
                                 const uint8_t *_Nullable u, ptrdiff_t u_stride, const uint8_t *_Nullable v,
                                 ptrdiff_t v_stride, int rows);

/// Ends the picture and says how many bytes of the output it takes.
cjpeg_result cjpeg_encoder_finish(cjpeg_encoder *_Nonnull encoder, size_t *_Nonnull count);

/// Why the last call failed. Owned by the encoder, valid until its next call.
const char *_Nonnull cjpeg_encoder_message(const cjpeg_encoder *_Nonnull encoder);

/// Reads baseline and progressive pictures into planes with the picture's own chroma sampling.
typedef struct cjpeg_decoder cjpeg_decoder;

/// One plane of a picture about to be decoded.
typedef struct cjpeg_plane {
  /// Samples that belong to the picture.
  int width, height;
  /// Bytes written per line: `width` rounded up to whole blocks.
  int padded_width;
} cjpeg_plane;

/// Returns NULL when out of memory. The caller owns the decoder and ends it with cjpeg_decoder_destroy.
cjpeg_decoder *_Nullable cjpeg_decoder_create(void);
void cjpeg_decoder_destroy(cjpeg_decoder *_Nonnull decoder);

/// Reads the header. `data` stays the caller's and is borrowed until read returns, the next start or destroy.
/// Allocates nothing that depends on the picture's size, so the caller can refuse a size first.
cjpeg_result cjpeg_decoder_start(cjpeg_decoder *_Nonnull decoder, const uint8_t *_Nonnull data, size_t count,
                                 int *_Nonnull width, int *_Nonnull height);

/// Chooses the scale, `eighths` of 8 (1, 2, 4 or 8), and tells the planes that read will fill: `*components` is 3, the
/// last two of one size, or 1 for grey. libjpeg scales inside the inverse DCT, which makes a reduced picture cheaper
/// than a full one.
cjpeg_result cjpeg_decoder_plan(cjpeg_decoder *_Nonnull decoder, int eighths, int *_Nonnull components,
                                cjpeg_plane planes[_Nonnull 3]);

/// Decodes the whole picture. The planes are the caller's: plane i takes `height` lines of `padded_width` bytes.
/// Damaged or cut-off data gives CJPEG_DAMAGED; what the planes hold then is undefined.
cjpeg_result cjpeg_decoder_read(cjpeg_decoder *_Nonnull decoder, uint8_t *_Nullable const planes[_Nonnull 3],
                                const ptrdiff_t strides[_Nonnull 3]);

/// Why the last call failed. Owned by the decoder, valid until its next call.
const char *_Nonnull cjpeg_decoder_message(const cjpeg_decoder *_Nonnull decoder);

#ifdef __cplusplus
}
#endif
#endif
