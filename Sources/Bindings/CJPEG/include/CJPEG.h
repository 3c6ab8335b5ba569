// Calls libjpeg-turbo with uncompressed YCbCr planes, and returns its errors as results.
//
// libjpeg reports errors by a callback that must not return. The functions of this module leave that callback with
// setjmp and longjmp, which Swift cannot do. No function exits the process, prints, or unwinds into the caller.
// Thread-bound: only one thread at a time may use an encoder or decoder.
#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cjpeg_result {
  CJPEG_OK = 0,
  /// The output memory is too small. The caller has to start again with more memory.
  CJPEG_BUFFER_FULL = 1,
  /// The data is not JPEG, is cut off or is damaged, or the sampling of Cb differs from that of Cr.
  CJPEG_DAMAGED = 2,
  /// The picture is a valid JPEG that is neither YCbCr nor grey, or one in several scans for which libjpeg would need
  /// more than 256 MiB of memory.
  CJPEG_UNSUPPORTED = 3,
  /// libjpeg failed for a reason other than the data, for instance because memory is used up. The message gives the
  /// reason.
  CJPEG_FAILED = 4,
} cjpeg_result;

/// An encoder that writes JFIF pictures, in 4:2:0 YCbCr or grey.
typedef struct cjpeg_encoder cjpeg_encoder;

/// Makes an encoder. The caller owns the encoder, and ends it with cjpeg_encoder_destroy. Returns NULL when out of
/// memory.
cjpeg_encoder *_Nullable cjpeg_encoder_create(void);
/// Ends an encoder and frees its memory. An unfinished picture is dropped.
void cjpeg_encoder_destroy(cjpeg_encoder *_Nonnull encoder);

/// Begins a picture and drops an unfinished one. `components` is 3 (YCbCr) or 1 (grey); `quality` is 1 to 100. The
/// caller lends `output` until finish returns, or until the next start or destroy. The encoder writes at most
/// `capacity` bytes to `output`.
cjpeg_result cjpeg_encoder_start(cjpeg_encoder *_Nonnull encoder, uint8_t *_Nonnull output, size_t capacity, int width,
                                 int height, int components, int quality);

/// Embeds an EXIF block of at most 65,533 bytes, which is borrowed for the call. The caller must call this function
/// after start and before the first line.
cjpeg_result cjpeg_encoder_write_exif(cjpeg_encoder *_Nonnull encoder, const uint8_t *_Nonnull exif, size_t count);

/// Encodes the next lines of the picture, in full-range BT.601. `rows` is 16, or less for the last lines of the
/// picture. The planes are borrowed for the call. Each line must be readable up to a multiple of 8 samples in each
/// plane, which for chroma is a multiple of 16 pixels. `u` and `v` are NULL for grey.
cjpeg_result cjpeg_encoder_write(cjpeg_encoder *_Nonnull encoder, const uint8_t *_Nonnull y, ptrdiff_t y_stride,
                                 const uint8_t *_Nullable u, ptrdiff_t u_stride, const uint8_t *_Nullable v,
                                 ptrdiff_t v_stride, int rows);

/// Ends the picture, and sets `count` to the number of bytes that the JPEG takes in the output memory.
cjpeg_result cjpeg_encoder_finish(cjpeg_encoder *_Nonnull encoder, size_t *_Nonnull count);

/// Returns the reason why the last call failed. The encoder owns the text, which is valid until the next call.
const char *_Nonnull cjpeg_encoder_message(const cjpeg_encoder *_Nonnull encoder);

/// A decoder that reads baseline and progressive pictures into planes with the picture's own chroma sampling.
typedef struct cjpeg_decoder cjpeg_decoder;

/// One plane of a picture about to be decoded.
typedef struct cjpeg_plane {
  /// The width and height of the plane in samples, without padding.
  int width, height;
  /// The number of bytes that the decoder writes per line: `width` rounded up to whole blocks.
  int padded_width;
} cjpeg_plane;

/// Makes a decoder. The caller owns the decoder, and ends it with cjpeg_decoder_destroy. Returns NULL when out of
/// memory.
cjpeg_decoder *_Nullable cjpeg_decoder_create(void);
/// Ends a decoder and frees its memory.
void cjpeg_decoder_destroy(cjpeg_decoder *_Nonnull decoder);

/// Reads the header of a picture, and sets `width` and `height` to its size in pixels. The caller lends `data` until
/// read returns, or until the next start or destroy. The function allocates no memory that depends on the size of the
/// picture, so that the caller can refuse a size before the decoder allocates memory for it.
cjpeg_result cjpeg_decoder_start(cjpeg_decoder *_Nonnull decoder, const uint8_t *_Nonnull data, size_t count,
                                 int *_Nonnull width, int *_Nonnull height);

/// Chooses the scale, which is `eighths` (1, 2, 4 or 8) divided by 8, and describes the planes that read will fill.
/// `components` becomes 3 (YCbCr, the last two planes have the same size) or 1 (grey). libjpeg scales within the
/// inverse DCT, so that decoding a reduced picture is cheaper than decoding the full size.
cjpeg_result cjpeg_decoder_plan(cjpeg_decoder *_Nonnull decoder, int eighths, int *_Nonnull components,
                                cjpeg_plane planes[_Nonnull 3]);

/// Decodes the whole picture into planes that the caller owns. Plane i takes `height` lines of `padded_width` bytes,
/// `strides[i]` bytes apart. Damaged or cut-off data gives CJPEG_DAMAGED; the content of the planes is then undefined.
cjpeg_result cjpeg_decoder_read(cjpeg_decoder *_Nonnull decoder, uint8_t *_Nullable const planes[_Nonnull 3],
                                const ptrdiff_t strides[_Nonnull 3]);

/// Returns the reason why the last call failed. The decoder owns the text, which is valid until the next call.
const char *_Nonnull cjpeg_decoder_message(const cjpeg_decoder *_Nonnull decoder);

#ifdef __cplusplus
}
#endif
#endif
