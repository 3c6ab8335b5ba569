#include "endpoint.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include <stdexcept>

#include "call.h"

namespace cgrpc {

Endpoint::Endpoint(const cgrpc_server_options &options, const cgrpc_credentials &credentials,
                   const cgrpc_handler &handler, std::optional<cgrpc_peer_credentials> peer,
                   const Connections *connections)
    : service_(handler, peer, connections) {
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(&service_);
  builder.SetMaxReceiveMessageSize(options.max_receive_message_bytes);
  builder.SetMaxSendMessageSize(-1);  // unlimited
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_concurrent_streams);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, options.keepalive_time_ms);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, options.keepalive_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, options.min_ping_interval_ms);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, options.max_ping_strikes);
  // Clients may keep an idle connection alive.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  connections_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials.value);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) throw std::runtime_error("gRPC could not start the server");
}

Endpoint::~Endpoint() {
  if (shutdown_queue_ == nullptr) return;
  grpc_completion_queue_shutdown(shutdown_queue_);
  const gpr_timespec forever = gpr_inf_future(GPR_CLOCK_MONOTONIC);
  while (grpc_completion_queue_next(shutdown_queue_, forever, nullptr).type != GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(shutdown_queue_);
}

void Endpoint::begin_shut_down() {
  // grpc::Server can only shut down and wait at once; the core does the first alone, and may be asked again by the
  // second.
  shutdown_queue_ = grpc_completion_queue_create_for_next(nullptr);
  grpc_server_shutdown_and_notify(server_->c_server(), shutdown_queue_, nullptr);
}

void Endpoint::adopt(int fd) {
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.fd = fd;
  connections_->HandleNewConnection(&parameters);
}

grpc::ServerGenericBidiReactor *Endpoint::Service::CreateReactor(grpc::GenericCallbackServerContext *context) {
  try {
    auto *call = new cgrpc_call(context, handler_, peer_, connections_);
    call->announce();
    return call;
  } catch (...) {
    // gRPC answers UNIMPLEMENTED for a call without a reactor.
    return nullptr;
  }
}

}  // namespace cgrpc
