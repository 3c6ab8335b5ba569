// Conversions between C and gRPC, for byte strings and for messages.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <string>

#include "CGRPC.h"

/// A received message in one piece.
struct cgrpc_message {
  grpc::Slice slice;
};

/// A message to write.
struct cgrpc_buffer {
  grpc::ByteBuffer value;
};

namespace cgrpc {

/// Borrows the bytes of a string.
inline cgrpc_bytes bytes(const std::string &string) {
  return {string.data(), string.size()};
}

inline cgrpc_bytes bytes(grpc::string_ref string) {
  return {string.data(), string.size()};
}

/// Copies bytes into a string.
inline std::string string(cgrpc_bytes bytes) {
  return bytes.count == 0 ? std::string() : std::string(static_cast<const char *>(bytes.base), bytes.count);
}

/// Makes a gRPC buffer of slices, and copies or lends each of them as its `release` says. Calls every `release` exactly
/// once, also when this function throws.
grpc::ByteBuffer make_buffer(const cgrpc_slice *slices, size_t count);

/// Makes a message of a gRPC buffer. Copies the bytes only when they are in several pieces. Returns null when gRPC
/// cannot read the buffer.
cgrpc_message *make_message(const grpc::ByteBuffer &buffer);

}  // namespace cgrpc
