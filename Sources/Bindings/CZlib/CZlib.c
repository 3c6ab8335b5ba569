#include "CZlib.h"

#include <zlib.h>

// The largest window, and the gzip format instead of zlib's own.
static const int gzip_window = 15 + 16;

ptrdiff_t czlib_decompress(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity) {
  z_stream stream = {
      .next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = result, .avail_out = (uInt)capacity};
  if (inflateInit2(&stream, gzip_window) != Z_OK) return CZLIB_NO_MEMORY;
  const int status = inflate(&stream, Z_FINISH);
  const ptrdiff_t written = (ptrdiff_t)stream.total_out;
  const int is_whole = status == Z_STREAM_END && stream.avail_in == 0;
  const int is_full = stream.avail_out == 0;
  inflateEnd(&stream);
  if (is_whole) return written;
  if (status == Z_MEM_ERROR) return CZLIB_NO_MEMORY;
  return (status == Z_BUF_ERROR || status == Z_OK) && is_full ? CZLIB_TOO_LARGE : CZLIB_MALFORMED;
}

size_t czlib_bound(size_t count) {
  // 18 bytes are the header and the end of a gzip file, of which zlib's bound counts 6.
  return compressBound((uLong)count) + 12;
}

ptrdiff_t czlib_compress(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity) {
  z_stream stream = {
      .next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = result, .avail_out = (uInt)capacity};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return CZLIB_NO_MEMORY;
  }
  const int status = deflate(&stream, Z_FINISH);
  const ptrdiff_t written = (ptrdiff_t)stream.total_out;
  deflateEnd(&stream);
  return status == Z_STREAM_END ? written : CZLIB_NO_MEMORY;
}
