// Bytes between C and gRPC.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <string>

#include "CGRPC.h"

struct cgrpc_message {
  grpc::Slice slice;
};

struct cgrpc_buffer {
  grpc::ByteBuffer value;
};

namespace cgrpc {

inline cgrpc_bytes bytes(const std::string &string) {
  return {string.data(), string.size()};
}

inline cgrpc_bytes bytes(grpc::string_ref string) {
  return {string.data(), string.size()};
}

inline std::string string(cgrpc_bytes bytes) {
  return bytes.count == 0 ? std::string() : std::string(static_cast<const char *>(bytes.base), bytes.count);
}

/// Lends or copies the slices. Takes over every `release`: it is called once even if this throws.
grpc::ByteBuffer make_buffer(const cgrpc_slice *slices, size_t count);

/// Makes the buffer's bytes contiguous, without a copy when they are already. Null when the buffer cannot be read.
cgrpc_message *make_message(const grpc::ByteBuffer &buffer);

}  // namespace cgrpc
