#include "message.h"

#include <memory>
#include <vector>

namespace cgrpc {
namespace {

void release(const cgrpc_slice &slice) noexcept {
  if (slice.release != nullptr) slice.release(slice.owner);
}

grpc::Slice make_slice(const cgrpc_slice &slice) {
  if (slice.release == nullptr) return grpc::Slice(slice.base, slice.count);
  // gRPC's signature requires the const_cast, but gRPC only reads the bytes.
  return grpc::Slice(const_cast<void *>(slice.base), slice.count, slice.release, slice.owner);
}

}  // namespace

grpc::ByteBuffer make_buffer(const cgrpc_slice *slices, size_t count) {
  std::vector<grpc::Slice> made;
  size_t taken = 0;
  try {
    made.reserve(count);
    for (; taken < count; ++taken) made.push_back(make_slice(slices[taken]));
    return grpc::ByteBuffer(made.data(), made.size());
  } catch (...) {
    // The vector's destructor releases the slices that were made, so only the others are released here.
    for (; taken < count; ++taken) release(slices[taken]);
    throw;
  }
}

cgrpc_message *make_message(const grpc::ByteBuffer &buffer) {
  auto message = std::make_unique<cgrpc_message>();
  if (!buffer.TrySingleSlice(&message->slice).ok() && !buffer.DumpToSingleSlice(&message->slice).ok()) return nullptr;
  return message.release();
}

}  // namespace cgrpc

cgrpc_buffer *cgrpc_buffer_create(const cgrpc_slice *slices, size_t count) {
  try {
    return new cgrpc_buffer{cgrpc::make_buffer(slices, count)};
  } catch (...) {
    return nullptr;
  }
}

void cgrpc_buffer_destroy(cgrpc_buffer *buffer) {
  delete buffer;
}

cgrpc_bytes cgrpc_message_bytes(const cgrpc_message *message) {
  return {message->slice.begin(), message->slice.size()};
}

void cgrpc_message_destroy(cgrpc_message *message) {
  delete message;
}
