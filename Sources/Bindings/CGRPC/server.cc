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

  // The thread that uses the endpoints ends before they do.
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
      // Before gRPC has it, which reads what is there on this thread.
      guard.add(connection);
    } catch (...) {
      // gRPC would have closed it.
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
    // Held all along, so that a second caller waits for the same end.
    std::lock_guard<std::mutex> lock(shutdown_mutex);
    if (tcp == nullptr || local == nullptr || std::exchange(is_shut_down, true)) return;
    const auto deadline = std::chrono::system_clock::now() + drain;
    // All are told before the first is waited for.
    tcp->begin_shut_down();
    local->begin_shut_down();
    // One clock for all, so that nobody is cancelled later because somebody else is waited for.
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

/// Runs `body`; an exception becomes `failure` and an owned sentence in `error`.
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

/// Keeps gRPC itself alive until the process ends. When the last server goes, gRPC would join threads of its own, one
/// of which may be polling for up to ten more seconds: so long a stopped daemon would take to exit.
void keep_grpc() {
  static const bool kept = (grpc_init(), true);
  static_cast<void>(kept);
}

/// Switches off Abseil's search for deadlocks, which Debian builds in. It enters each lock of gRPC in one graph for the
/// whole process: the graph's memory stays when the lock is gone, and all threads wait for each other at the graph.
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
    // A mutex that cannot be locked; shutdown still follows.
  }
}

void cgrpc_server_shutdown(cgrpc_server *server, int64_t drain_ms) {
  try {
    server->shut_down(std::chrono::milliseconds(std::max<int64_t>(drain_ms, 0)));
  } catch (...) {
    // gRPC's shutdown does not throw.
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
