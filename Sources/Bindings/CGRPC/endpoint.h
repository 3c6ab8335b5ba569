// An endpoint is one grpc::Server without listening sockets. Connected sockets are handed to it.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <memory>
#include <optional>

#include "CGRPC.h"
#include "connection.h"
#include "credentials.h"

namespace cgrpc {
/// A grpc::Server for all TCP connections together, or for one connection over a Unix socket.

class Endpoint {
 public:
  /// Starts the server.
  ///
  /// - handler: must outlive the endpoint.
  /// - peer: the process that makes every call of this endpoint. Empty when it is not known.
  /// - connections: where calls find their connection. Must outlive the endpoint. With null, calls have no connection.
  ///
  /// Throws std::runtime_error when gRPC cannot start the server.
  Endpoint(const cgrpc_server_options &options, const cgrpc_credentials &credentials, const cgrpc_handler &handler,
           const grpc::ResourceQuota &quota, std::optional<cgrpc_peer_credentials> peer,
           const Connections *connections);

  /// Waits for the end of the shutdown that `begin_shut_down` has begun.
  ~Endpoint();
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;

  /// Takes over a connected, non-blocking socket. Must not be called after a shutdown has begun.
  void adopt(int fd);

  /// Tells the clients that the server shuts down, takes no more calls, and returns at once. May be called once, and
  /// `shut_down` must follow.
  void begin_shut_down();

  /// Cancels the calls that are left. May be called from any thread, after `begin_shut_down`.
  void cancel_calls() { grpc_server_cancel_all_calls(server_->c_server()); }

  /// Blocks until every call is done. At `deadline` the calls that are left are cancelled.
  void shut_down(std::chrono::system_clock::time_point deadline) { server_->Shutdown(deadline); }

 private:
  /// Makes a `cgrpc_call` for each call that gRPC receives.
  class Service final : public grpc::CallbackGenericService {
   public:
    Service(const cgrpc_handler &handler, std::optional<cgrpc_peer_credentials> peer, const Connections *connections,
            size_t max_message_bytes)
        : handler_(handler), peer_(peer), connections_(connections), max_message_bytes_(max_message_bytes) {}
    grpc::ServerGenericBidiReactor *CreateReactor(grpc::GenericCallbackServerContext *context) override;

   private:
    const cgrpc_handler &handler_;
    const std::optional<cgrpc_peer_credentials> peer_;
    const Connections *const connections_;
    const size_t max_message_bytes_;
  };

  Service service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;
  std::unique_ptr<grpc::Server> server_;
  /// The queue on which gRPC reports the end of a shutdown that `begin_shut_down` has begun. Null before.
  grpc_completion_queue *shutdown_queue_ = nullptr;
};

}  // namespace cgrpc
