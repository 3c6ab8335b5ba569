#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>

#include "acceptor.h"
#include "endpoint.h"
#include "guard.h"
#include "message.h"
#include "unix_endpoints.h"

/// A server: the acceptor gives each new connection to an endpoint, which is gRPC.
struct cgrpc_server final : cgrpc::Acceptor::Owner {
  cgrpc_server(const cgrpc_server_options &options, const cgrpc_credentials &credentials, const cgrpc_handler &handler)
      : handler(handler),
        options(options),
        credentials(credentials),
        acceptor(options),
        guard(options.budget),
        quota("cgrpc") {
    quota.Resize(static_cast<size_t>(options.memory_quota_bytes));
  }

  // The acceptor's thread uses the endpoints, so it must end before they are destroyed.
  ~cgrpc_server() override { acceptor.stop(); }

  void start() {
    tcp = std::make_unique<cgrpc::Endpoint>(options, credentials, handler, quota, std::nullopt, &connections);
    local =
        std::make_unique<cgrpc::UnixEndpoints>(options, credentials, handler, quota, [this] { acceptor.release(); });
    acceptor.start(*this);
  }

  void adopt(int fd, const std::shared_ptr<cgrpc::Connection> &connection, bool is_unix) override {
    if (is_unix) return local->adopt(fd, connection->fd());
    try {
      connections.add(connection);
      // The guard must know the connection before gRPC does, because gRPC reads the bytes that have arrived on this
      // thread, as soon as gRPC gets the socket.
      guard.add(connection);
    } catch (...) {
      // gRPC did not get the socket, so gRPC will not close it.
      close(fd);
      throw;
    }
    tcp->adopt(fd);
  }

  bool closed(const cgrpc::Connection &connection, const cgrpc::Debt &debt, bool is_unix) override {
    if (is_unix) return !local->closed(connection.fd());
    connections.remove(connection);
    guard.remove(connection, debt);
    return true;
  }

  void was_cut(const cgrpc::Connection &connection, cgrpc_excess excess) override {
    handler.on_cut(handler.context, cgrpc::bytes(connection.peer()), excess);
  }

  void cancel_calls() override {
    tcp->cancel_calls();
    local->cancel_calls();
  }

  void shut_down(std::chrono::milliseconds drain) {
    acceptor.stop_listening();
    // The lock is held until the shutdown is complete, so that a second caller waits for the same end.
    std::lock_guard<std::mutex> lock(shutdown_mutex);
    if (tcp == nullptr || local == nullptr || std::exchange(is_shut_down, true)) return;
    const auto deadline = std::chrono::system_clock::now() + drain;
    // All clients are told before the server waits for any calls.
    tcp->begin_shut_down();
    local->begin_shut_down();
    // The acceptor cancels the calls of all endpoints at the same time, so that the wait for one endpoint does not
    // delay the cancellation of the next one's calls.
    acceptor.end_in(drain);
    tcp->shut_down(deadline);
    local->shut_down(deadline);
  }

  const cgrpc_handler handler;
  const cgrpc_server_options options;
  const cgrpc_credentials credentials;
  std::mutex shutdown_mutex;
  bool is_shut_down = false;
  cgrpc::Acceptor acceptor;
  cgrpc::Connections connections;
  cgrpc::Guard guard;
  grpc::ResourceQuota quota;
  std::unique_ptr<cgrpc::Endpoint> tcp;
  std::unique_ptr<cgrpc::UnixEndpoints> local;
};

namespace {

/// Runs `body` and returns its result. When `body` throws, stores an owned sentence in `error` and returns `failure`.
template <class Result, class Body>
Result catching(char **error, Result failure, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception &exception) {
    *error = strdup(exception.what());
  } catch (...) {
    *error = strdup("unknown error");
  }
  return failure;
}

/// Keeps gRPC initialised until the process ends. Otherwise gRPC would end its own threads after the last server is
/// gone and wait for them, and one of them may be polling for up to ten more seconds. The exit of the daemon would take
/// as long.
void keep_grpc() {
  static const bool kept = (grpc_init(), true);
  static_cast<void>(kept);
}

/// Switches off Abseil's detection of deadlocks, which Debian's build includes. The detection enters each lock of gRPC
/// into one graph for the whole process. The graph keeps the memory of locks that are gone, and all threads wait for
/// each other at the graph.
void forgo_deadlock_detection() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace

cgrpc_server *cgrpc_server_create(const cgrpc_server_options *options, const cgrpc_credentials *credentials,
                                  const cgrpc_handler *handler, char **error) {
  forgo_deadlock_detection();
  keep_grpc();
  return catching<cgrpc_server *>(error, nullptr, [&] { return new cgrpc_server(*options, *credentials, *handler); });
}

bool cgrpc_server_listen(cgrpc_server *server, const char *address, char **error) {
  return catching(error, false, [&] {
    server->acceptor.add(cgrpc::Listener::bind(address, server->options.receive_buffer_bytes));
    return true;
  });
}

const char *cgrpc_server_bound_address(const cgrpc_server *server, size_t index) {
  const auto &addresses = server->acceptor.addresses();
  return index < addresses.size() ? addresses[index].c_str() : nullptr;
}

bool cgrpc_server_start(cgrpc_server *server, char **error) {
  return catching(error, false, [&] {
    server->start();
    return true;
  });
}

void cgrpc_server_stop_accepting(cgrpc_server *server) {
  try {
    server->acceptor.stop_listening();
  } catch (...) {
    // The mutex could not be locked. `cgrpc_server_shutdown` will still follow.
  }
}

void cgrpc_server_shutdown(cgrpc_server *server, int64_t drain_ms) {
  try {
    server->shut_down(std::chrono::milliseconds(std::max<int64_t>(drain_ms, 0)));
  } catch (...) {
    // gRPC's shutdown does not throw. The handler only keeps exceptions away from C.
  }
}

void cgrpc_server_destroy(cgrpc_server *server) {
  delete server;
}

cgrpc_server_counters cgrpc_server_get_counters(const cgrpc_server *server) {
  return server->acceptor.counters();
}

void cgrpc_string_destroy(char *string) {
  free(string);
}
