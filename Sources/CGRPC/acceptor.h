// Accepts connections, so that their sockets are set up before gRPC sees them and their number is bounded.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "CGRPC.h"
#include "listener.h"

namespace cgrpc {

class Acceptor {
 public:
  /// Takes over a connected socket; `is_unix` says which kind.
  using Adopt = std::function<void(int fd, bool is_unix)>;

  /// Throws std::runtime_error when out of descriptors.
  explicit Acceptor(const cgrpc_server_options &options);
  /// Ends the thread; connections belong to gRPC and stay.
  ~Acceptor();
  Acceptor(const Acceptor &) = delete;
  Acceptor &operator=(const Acceptor &) = delete;

  /// Before `start` only.
  void add(std::vector<Listener> listeners);
  const std::vector<std::string> &addresses() const { return addresses_; }

  /// Starts the thread. `adopt` is called on it.
  void start(Adopt adopt);

  /// Closes the listening sockets. From any thread, any number of times.
  void stop_listening();

  cgrpc_server_counters counters() const;

 private:
  void run() noexcept;
  void handle(int fd);
  void accept_from(const Listener &listener);
  void admit(int fd, bool is_unix);
  void refuse_without_descriptors(const Listener &listener);
  void configure(int fd, bool is_unix) const;

  const cgrpc_server_options options_;
  Adopt adopt_;
  int epoll_fd_ = -1;
  /// Readable: the thread shall end.
  int exit_fd_ = -1;
  /// Given up for an instant when descriptors run out, to take a connection off the queue and refuse it.
  int spare_fd_ = -1;
  std::vector<std::string> addresses_;

  /// Guards `listeners_`, which the thread reads and `stop_listening` empties.
  std::mutex mutex_;
  std::vector<Listener> listeners_;
  /// A duplicate of each open connection's descriptor: the only way to see its end once gRPC owns the original.
  /// The thread's alone.
  std::unordered_set<int> watched_;

  std::atomic<uint64_t> connections_{0};
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> refused_{0};
  std::thread thread_;
};

}  // namespace cgrpc
