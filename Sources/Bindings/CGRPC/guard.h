// The guard looks at what each TCP connection has received, and cuts those that send far more than their calls explain.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "connection.h"

namespace cgrpc {

/// The guard has a thread of its own. gRPC reads the first bytes of a connection on the acceptor's thread, so a hostile
/// client could keep that thread from looking.
class Guard {
 public:
  explicit Guard(const cgrpc_budget &budget);
  ~Guard();
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

  void add(const std::shared_ptr<Connection> &connection);
  /// A connection is gone that has used so much.
  void remove(const Connection &connection, const Debt &debt);

 private:
  struct Watched {
    std::shared_ptr<Connection> connection;
    Instant accepted;
    Instant next_look;
    Connection::Look last_look;
  };

  void run() noexcept;
  /// Looks at those that are due. Returns when the next one is.
  Instant look_at_all();
  /// Cuts connections until the rest have no more than `most` bytes together that nothing accounts for: those of the
  /// address that has the most first, and of these the ones with the most. So a client with many connections that each
  /// have little does not have others cut.
  void look_at_sum(bool is_large, double most);
  /// Gives memory back to the system that many connections have left behind.
  void give_back(std::unique_lock<std::mutex> &lock);

  const double large_message_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;
  std::vector<Watched> watched_;
  Instant rests_until_;
  /// What connections may have left behind since memory was given back, and when that is next, if it is.
  LeakyBucket left_behind_;
  std::optional<Instant> gives_back_at_;
  std::thread thread_;
};

}  // namespace cgrpc
