#include "endpoint.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include <stdexcept>

#include "call.h"

namespace cgrpc {

Endpoint::Endpoint(const cgrpc_server_options &options, const cgrpc_credentials &credentials,
                   const cgrpc_handler &handler, const grpc::ResourceQuota &quota,
                   std::optional<cgrpc_peer_credentials> peer, const Connections *connections)
    : service_(handler, peer, connections) {
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(&service_);
  builder.SetMaxReceiveMessageSize(options.max_receive_message_bytes);
  builder.SetMaxSendMessageSize(-1);  // unlimited
  builder.SetResourceQuota(quota);
  // A few kilobytes can become gigabytes, and gRPC asks for the limit of messages only afterwards.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  // Nobody asks for it, and it keeps a record of every connection.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
  // What may come before a handler asks for it is fixed. gRPC would widen it to what the network carries, and nobody
  // could tell messages that wait for a handler from a flood.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, options.read_ahead_bytes);
  // What gRPC has read it takes apart to the end, whatever becomes of the connection.
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, options.read_bytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, options.max_metadata_bytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, options.handshake_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, options.idle_timeout_ms);
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
