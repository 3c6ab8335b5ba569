#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "acceptor.h"
#include "endpoint.h"

struct cgrpc_server {
  cgrpc_server(const cgrpc_server_options &options, const cgrpc_credentials &credentials,
               const cgrpc_handler &handler)
      : handler(handler), options(options), credentials(credentials), acceptor(options) {}

  void start() {
    endpoint = std::make_unique<cgrpc::Endpoint>(options, credentials, handler, std::nullopt);
    acceptor.start([this](int fd, bool) { endpoint->adopt(fd); });
  }

  void shut_down(std::chrono::milliseconds drain) {
    acceptor.stop_listening();
    if (endpoint != nullptr) endpoint->shut_down(std::chrono::system_clock::now() + drain);
  }

  const cgrpc_handler handler;
  const cgrpc_server_options options;
  const cgrpc_credentials credentials;
  std::unique_ptr<cgrpc::Endpoint> endpoint;
  // After the endpoint: its thread, which uses the endpoint, ends first.
  cgrpc::Acceptor acceptor;
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

}  // namespace

cgrpc_server *cgrpc_server_create(const cgrpc_server_options *options, const cgrpc_credentials *credentials,
                                  const cgrpc_handler *handler, char **error) {
  return catching<cgrpc_server *>(error, nullptr, [&] { return new cgrpc_server(*options, *credentials, *handler); });
}

bool cgrpc_server_listen(cgrpc_server *server, const char *address, char **error) {
  return catching(error, false, [&] {
    server->acceptor.add(cgrpc::Listener::bind(address));
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

void cgrpc_server_destroy(cgrpc_server *server) { delete server; }

cgrpc_server_counters cgrpc_server_get_counters(const cgrpc_server *server) { return server->acceptor.counters(); }

void cgrpc_string_destroy(char *string) { free(string); }
