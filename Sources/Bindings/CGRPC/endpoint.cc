#include "endpoint.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include <stdexcept>

#include "call.h"

namespace cgrpc {

Endpoint::Endpoint(const cgrpc_server_options &options, const cgrpc_credentials &credentials,
                   const cgrpc_handler &handler, const grpc::ResourceQuota &quota,
                   std::optional<cgrpc_peer_credentials> peer, const Connections *connections)
    : service_(handler, peer, connections, static_cast<size_t>(options.max_receive_message_bytes)) {
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(&service_);
  // `cgrpc_call` refuses a message that is too large. gRPC would do so no earlier, because it looks at the size of a
  // message only after it has received all of it, and would not tell the client the limit.
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);  // unlimited
  builder.SetResourceQuota(quota);
  // Compressed messages are refused. A few kilobytes can grow to gigabytes, and gRPC checks the size of a message only
  // after it has decompressed the message.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  // The daemon has no use for channelz, which would keep a record of every connection.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
  // The number of bytes that may come before a handler asks for them is fixed. gRPC would otherwise widen the limit to
  // what the network carries, and the guard could not distinguish messages that wait for a handler from a flood.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, options.read_ahead_bytes);
  // gRPC decodes all bytes that it has read, even when the connection is cut meanwhile, so it must not read many at a
  // time.
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, options.read_bytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, options.max_metadata_bytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, options.handshake_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, options.idle_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_concurrent_streams);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, options.keepalive_time_ms);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, options.keepalive_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, options.min_ping_interval_ms);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, options.max_ping_strikes);
  // Clients may ping a connection without calls to keep it alive.
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
  // `grpc::Server::Shutdown` begins the shutdown and waits for its end in one call. The core function only begins the
  // shutdown, and `Shutdown` may be called for the same shutdown afterwards.
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
    auto *call = new cgrpc_call(context, handler_, peer_, connections_, max_message_bytes_);
    call->announce();
    return call;
  } catch (...) {
    // Memory is short. gRPC answers UNIMPLEMENTED when it gets no reactor for a call.
    return nullptr;
  }
}

}  // namespace cgrpc
