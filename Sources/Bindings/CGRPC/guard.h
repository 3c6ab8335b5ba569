// The guard looks at the bytes that each TCP connection has received. When they are far more than the connection's
// calls and messages account for, it refuses the message that they may belong to, or cuts the connection.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "connection.h"

namespace cgrpc {

/// Watches all TCP connections on a thread of its own. gRPC reads the first bytes of a connection on the acceptor's
/// thread, so a hostile client could keep the acceptor's thread from looking.
class Guard {
 public:
  /// Starts the guard's thread. `budget` is the budget of each connection.
  explicit Guard(const cgrpc_budget &budget);
  /// Ends the guard's thread.
  ~Guard();
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

  /// Begins to watch a connection. The next look at the connection is 2 ms later.
  void add(const std::shared_ptr<Connection> &connection);
  /// Stops watching a connection that has ended. `debt` is the part of the budget that the connection has used.
  void remove(const Connection &connection, const Debt &debt);

 private:
  struct Watched {
    std::shared_ptr<Connection> connection;
    Instant accepted;
    Instant next_look;
    Connection::Look last_look;
  };

  /// The guard's thread: looks at connections and gives memory back until the guard is destroyed.
  void run() noexcept;
  /// Looks at the connections whose next look is due. Returns the time of the next look.
  Instant look_at_all();
  /// Refuses the messages that connections send, and cuts connections whose bytes belong to no message, until the
  /// others together have at most `most` unaccounted bytes. The first are those of the address with the most
  /// unaccounted bytes, and among these the one with the most. A client with many connections that have few bytes each
  /// can therefore not make the guard cut other clients.
  ///
  /// - is_large: whether to consider the connections with large messages or the others.
  void look_at_sum(bool is_large, double most);
  /// Gives the memory back to the system that ended connections have left unused in the heap. Opens `lock` meanwhile.
  void give_back(std::unique_lock<std::mutex> &lock);

  /// The `large_message_bytes` of the budget.
  const double large_message_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;
  std::vector<Watched> watched_;
  /// The time until which the thread does not look again, so that looking never takes more than a tenth of a processor.
  Instant rests_until_;
  /// An estimate of the bytes in the heap that ended connections have left unused since memory was last given back.
  LeakyBucket left_behind_;
  /// The time at which memory will be given back. Empty when it need not be given back.
  std::optional<Instant> gives_back_at_;
  std::thread thread_;
};

}  // namespace cgrpc
