// Connections over Unix sockets: an endpoint for each, because gRPC names them all "unix:" and an endpoint of its own
// is what ties a call to the process that made it. It costs 14 µs and 9 kB.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "endpoint.h"

namespace cgrpc {

class UnixEndpoints {
 public:
  /// - reaped: called on a thread of this object when nothing is left of a connection that was closed.
  /// - handler, quota: must outlive this object.
  UnixEndpoints(const cgrpc_server_options &options, const cgrpc_credentials &credentials, const cgrpc_handler &handler,
                const grpc::ResourceQuota &quota, std::function<void()> reaped);
  /// `shut_down` comes first if anything was adopted.
  ~UnixEndpoints();
  UnixEndpoints(const UnixEndpoints &) = delete;
  UnixEndpoints &operator=(const UnixEndpoints &) = delete;

  /// Takes over a connected socket, also when it throws. `id` names the connection until `closed`.
  void adopt(int fd, int id);

  /// The peer of a connection is gone. Returns at once: true when `reaped` follows, false for an unknown connection.
  bool closed(int id);

  /// Tells the clients and takes no more calls; returns at once. Nothing is adopted any more. `shut_down` must follow.
  void begin_shut_down();

  /// Cancels the calls that are left. After `begin_shut_down`, from any thread.
  void cancel_calls();

  /// Blocks until every call is done, those of closed connections too; cancels at `deadline` those that are not.
  void shut_down(std::chrono::system_clock::time_point deadline);

 private:
  void reap() noexcept;

  const cgrpc_server_options options_;
  const cgrpc_credentials credentials_;
  const cgrpc_handler &handler_;
  const grpc::ResourceQuota &quota_;
  const std::function<void()> reaped_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::unordered_map<int, std::unique_ptr<Endpoint>> open_;
  /// Those that were open when the shutdown began.
  std::vector<std::unique_ptr<Endpoint>> ending_;
  /// Their shutdown waits for handlers, so it is done on the thread.
  std::vector<std::unique_ptr<Endpoint>> dead_;
  /// The thread has taken what was in `dead_` and is not done with it.
  bool is_reaping_ = false;
  std::thread thread_;
};

}  // namespace cgrpc
