// One unary call of a client, with which a process asks another process whether it is healthy.
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <cstring>

#include "CGRPC.h"
#include "message.h"

namespace {

/// Makes the call and waits for its status. `answer` receives the response.
grpc::Status call(const char *target, const char *path, cgrpc_bytes request, int64_t timeout_ms,
                  grpc::ByteBuffer *answer) {
  grpc::ChannelArguments arguments;
  // gRPC must connect to exactly this address, and not to a proxy that http_proxy in the environment of a container
  // names.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  grpc::GenericStub stub(grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms));
  const cgrpc_slice slice{request.base, request.count, nullptr, nullptr};
  grpc::CompletionQueue queue;
  auto reader = stub.PrepareUnaryCall(&context, path, cgrpc::make_buffer(&slice, 1), &queue);
  reader->StartCall();
  grpc::Status status;
  reader->Finish(answer, &status, nullptr);
  // The wait ends at the call's deadline at the latest.
  void *tag;
  bool ok;
  queue.Next(&tag, &ok);
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  return status;
}

}  // namespace

int32_t cgrpc_probe_call(const char *target, const char *path, cgrpc_bytes request, int64_t timeout_ms,
                         cgrpc_message **response, char **error) {
  *response = nullptr;
  *error = nullptr;
  try {
    grpc::ByteBuffer answer;
    const grpc::Status status = call(target, path, request, timeout_ms, &answer);
    if (!status.ok()) {
      *error = strdup(status.error_message().c_str());
      return status.error_code();
    }
    *response = cgrpc::make_message(answer);
    return *response == nullptr ? grpc::StatusCode::INTERNAL : grpc::StatusCode::OK;
  } catch (...) {
    *error = strdup("out of memory");
    return grpc::StatusCode::INTERNAL;
  }
}
