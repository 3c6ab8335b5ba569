// Compresses and decompresses whole messages in the gzip format (RFC 1952) with zlib.
#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result when the decompressed bytes would not fit.
#define CZLIB_TOO_LARGE (-1)
/// The result when the bytes are not one whole gzip file.
#define CZLIB_MALFORMED (-2)
/// The result when memory is short.
#define CZLIB_NO_MEMORY (-3)

/// Decompresses a gzip file.
///
/// - bytes, count: the file, borrowed for the call.
/// - result, capacity: the memory for the decompressed bytes, borrowed for the call.
/// - Returns: the number of decompressed bytes, or one of the negative results above.
ptrdiff_t czlib_decompress(const uint8_t *_Nullable bytes, size_t count, uint8_t *_Nullable result, size_t capacity);

/// The largest size that a file of `count` bytes can have when it is compressed.
size_t czlib_bound(size_t count);

/// Compresses bytes to a gzip file, as fast as zlib can.
///
/// - bytes, count: the bytes, borrowed for the call.
/// - result, capacity: the memory for the file, borrowed for the call; at least czlib_bound(count) bytes.
/// - Returns: the number of bytes of the file, or CZLIB_NO_MEMORY.
ptrdiff_t czlib_compress(const uint8_t *_Nullable bytes, size_t count, uint8_t *_Nonnull result, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
