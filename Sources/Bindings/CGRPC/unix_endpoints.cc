#include "unix_endpoints.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "thread.h"

namespace cgrpc {
namespace {

/// Returns the process at the client's end of a Unix socket. Empty when the kernel does not know it.
std::optional<cgrpc_peer_credentials> peer_credentials(int fd) {
  ucred found{};
  socklen_t length = sizeof found;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &found, &length) != 0) return std::nullopt;
  return cgrpc_peer_credentials{found.pid, found.uid, found.gid};
}

}  // namespace

UnixEndpoints::UnixEndpoints(const cgrpc_server_options &options, const cgrpc_credentials &credentials,
                             const cgrpc_handler &handler, const grpc::ResourceQuota &quota,
                             std::function<void()> reaped)
    : options_(options), credentials_(credentials), handler_(handler), quota_(quota), reaped_(std::move(reaped)) {
  thread_ = start_thread("grpc-reap", [this] { reap(); });
}

UnixEndpoints::~UnixEndpoints() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void UnixEndpoints::adopt(int fd, int id) {
  std::unique_ptr<Endpoint> endpoint;
  try {
    endpoint = std::make_unique<Endpoint>(options_, credentials_, handler_, quota_, peer_credentials(fd), nullptr);
  } catch (...) {
    close(fd);
    throw;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) {
    // Closing the socket would not end the connection, because the acceptor holds a duplicate of the descriptor.
    shutdown(fd, SHUT_RDWR);
    close(fd);
    return;
  }
  Endpoint &kept = *(open_[id] = std::move(endpoint));
  kept.adopt(fd);
}

bool UnixEndpoints::closed(int id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto entry = open_.find(id);
    if (entry == open_.end()) return false;
    dead_.push_back(std::move(entry->second));
    open_.erase(entry);
  }
  changed_.notify_all();
  return true;
}

void UnixEndpoints::begin_shut_down() {
  std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  for (auto &entry : open_) ending_.push_back(std::move(entry.second));
  open_.clear();
  for (auto &endpoint : ending_) endpoint->begin_shut_down();
}

void UnixEndpoints::cancel_calls() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto &endpoint : ending_) endpoint->cancel_calls();
}

void UnixEndpoints::shut_down(std::chrono::system_clock::time_point deadline) {
  // This function does not hold the lock while the endpoints shut down, because `cancel_calls` must be able to take it.
  // It needs no lock for `ending_`, which does not change after `begin_shut_down`.
  for (auto &endpoint : ending_) endpoint->shut_down(deadline);
  std::unique_lock<std::mutex> lock(mutex_);
  ending_.clear();
  changed_.wait(lock, [this] { return dead_.empty() && !is_reaping_; });
}

void UnixEndpoints::reap() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || !dead_.empty(); });
    if (dead_.empty()) return;
    auto endpoints = std::exchange(dead_, {});
    is_reaping_ = true;
    lock.unlock();
    for (auto &endpoint : endpoints) {
      // The client is gone, so its calls are cancelled at once.
      endpoint->shut_down(std::chrono::system_clock::now());
      endpoint.reset();
      reaped_();
    }
    lock.lock();
    is_reaping_ = false;
    changed_.notify_all();
  }
}

}  // namespace cgrpc
