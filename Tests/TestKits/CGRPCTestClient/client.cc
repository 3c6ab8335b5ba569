#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <string>

#include "CGRPCTestClient.h"

struct ctest_channel {
  std::shared_ptr<grpc::Channel> channel;
};

struct ctest_call {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
  grpc::Slice received;
  grpc::Status status;
  std::string message;
  std::string details;
  bool is_finished = false;

  /// Waits for the end of the operation under way, and returns whether it succeeded.
  bool wait() {
    void *tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }
};

ctest_channel *ctest_channel_create(const char *target) {
  grpc::ChannelArguments arguments;
  // Without its own pool, a channel would share its connection with other channels to the same address.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  return new ctest_channel{grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments)};
}

void ctest_channel_destroy(ctest_channel *channel) {
  delete channel;
}

ctest_call *ctest_call_create(ctest_channel *channel, const char *method, const char *key, const char *value,
                              int64_t deadline_ms) {
  auto *call = new ctest_call;
  if (key != nullptr) call->context.AddMetadata(key, value);
  if (deadline_ms >= 0) {
    call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(deadline_ms));
  }
  grpc::GenericStub stub(channel->channel);
  call->stream = stub.PrepareCall(&call->context, method, &call->queue);
  call->stream->StartCall(nullptr);
  call->wait();
  return call;
}

bool ctest_call_write(ctest_call *call, const void *bytes, size_t count) {
  const grpc::Slice slice(bytes, count);
  call->stream->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  return call->wait();
}

bool ctest_call_end_writes(ctest_call *call) {
  call->stream->WritesDone(nullptr);
  return call->wait();
}

bool ctest_call_read(ctest_call *call, ctest_bytes *message) {
  grpc::ByteBuffer buffer;
  call->stream->Read(&buffer, nullptr);
  if (!call->wait()) return false;
  if (!buffer.DumpToSingleSlice(&call->received).ok()) return false;
  *message = {call->received.begin(), call->received.size()};
  return true;
}

int32_t ctest_call_finish(ctest_call *call) {
  if (!call->is_finished) {
    call->is_finished = true;
    call->stream->Finish(&call->status, nullptr);
    call->wait();
    call->message = call->status.error_message();
    call->details = call->status.error_details();
  }
  return call->status.error_code();
}

ctest_bytes ctest_call_status_message(const ctest_call *call) {
  return {call->message.data(), call->message.size()};
}

ctest_bytes ctest_call_status_details(const ctest_call *call) {
  return {call->details.data(), call->details.size()};
}

ctest_bytes ctest_call_trailer(const ctest_call *call, const char *key) {
  const auto &trailers = call->context.GetServerTrailingMetadata();
  const auto entry = trailers.find(key);
  if (entry == trailers.end()) return {nullptr, 0};
  return {entry->second.data(), entry->second.size()};
}

void ctest_call_cancel(ctest_call *call) {
  call->context.TryCancel();
}

void ctest_call_destroy(ctest_call *call) {
  if (!call->is_finished) {
    call->context.TryCancel();
    ctest_call_finish(call);
  }
  call->queue.Shutdown();
  void *tag = nullptr;
  bool ok = false;
  while (call->queue.Next(&tag, &ok)) {
  }
  delete call;
}
