// One grpc::Server without listening sockets: connections are handed to it.
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

class Endpoint {
 public:
  /// - peer: who is at the other end of every connection of this endpoint, where known.
  /// - handler, connections: must outlive the endpoint. Without `connections`, those of calls are unknown.
  ///
  /// Throws std::runtime_error.
  Endpoint(const cgrpc_server_options &options, const cgrpc_credentials &credentials, const cgrpc_handler &handler,
           const grpc::ResourceQuota &quota, std::optional<cgrpc_peer_credentials> peer,
           const Connections *connections);

  /// Ends what `begin_shut_down` began.
  ~Endpoint();
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;

  /// Takes over a connected, non-blocking socket. Not after a shutdown has begun.
  void adopt(int fd);

  /// Tells the clients and takes no more calls; returns at once. Once, and `shut_down` must follow.
  void begin_shut_down();

  /// Cancels the calls that are left. After `begin_shut_down`, from any thread.
  void cancel_calls() { grpc_server_cancel_all_calls(server_->c_server()); }

  /// Blocks until every call is done; cancels at `deadline` those that are not.
  void shut_down(std::chrono::system_clock::time_point deadline) { server_->Shutdown(deadline); }

 private:
  class Service final : public grpc::CallbackGenericService {
   public:
    Service(const cgrpc_handler &handler, std::optional<cgrpc_peer_credentials> peer, const Connections *connections)
        : handler_(handler), peer_(peer), connections_(connections) {}
    grpc::ServerGenericBidiReactor *CreateReactor(grpc::GenericCallbackServerContext *context) override;

   private:
    const cgrpc_handler &handler_;
    const std::optional<cgrpc_peer_credentials> peer_;
    const Connections *const connections_;
  };

  Service service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;
  std::unique_ptr<grpc::Server> server_;
  /// Where gRPC reports the end of a shutdown that was begun; null before.
  grpc_completion_queue *shutdown_queue_ = nullptr;
};

}  // namespace cgrpc
