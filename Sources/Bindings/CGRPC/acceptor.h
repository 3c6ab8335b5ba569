// Accepts connections, so that their sockets are set up before gRPC sees them and their number is bounded.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "CGRPC.h"
#include "connection.h"
#include "listener.h"
#include "places.h"

namespace cgrpc {

class Acceptor {
 public:
  /// Who gets the connections. Called on the acceptor's thread.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Takes over a connected socket. `connection` is kept by the acceptor until after `closed`.
    virtual void adopt(int fd, const std::shared_ptr<Connection> &connection, bool is_unix) = 0;
    /// The peer of a connection is gone, or gRPC has closed it. Of its budget `debt` was used.
    /// - Returns: false when `release` will be called later, because the connection still costs something.
    virtual bool closed(const Connection &connection, const Debt &debt, bool is_unix) = 0;
    /// A TCP connection was cut; `closed` follows.
    virtual void was_cut(const Connection &connection, cgrpc_excess excess) = 0;
    /// The time of `end_in` is over.
    virtual void cancel_calls() = 0;
  };

  /// Throws std::runtime_error when out of descriptors.
  explicit Acceptor(const cgrpc_server_options &options);
  /// `stop`.
  ~Acceptor();
  Acceptor(const Acceptor &) = delete;
  Acceptor &operator=(const Acceptor &) = delete;

  /// Before `start` only.
  void add(std::vector<Listener> listeners);
  const std::vector<std::string> &addresses() const { return addresses_; }

  /// Starts the thread. `owner` must outlive this object.
  void start(Owner &owner);

  /// Makes room for another connection. From any thread.
  void release() { connections_.fetch_sub(1, std::memory_order_relaxed); }

  /// Ends the thread; connections belong to gRPC and stay. Not on the thread itself.
  void stop();

  /// Later has the owner cancel all calls, and a second after that ends the connections that are left: gRPC would wait
  /// for one that takes nothing until it misses a ping. From any thread, after `start`.
  void end_in(std::chrono::milliseconds pause);

  /// Closes the listening sockets. From any thread, any number of times.
  void stop_listening();

  cgrpc_server_counters counters() const;

 private:
  void run() noexcept;
  void handle(int fd);
  void end();
  void set_timer(std::chrono::milliseconds pause) const;
  void accept_from(const Listener &listener);
  void admit(int fd, bool is_unix);
  /// Makes room for a new connection, if necessary by closing an older one that has no call.
  /// - Returns: false when there is no room.
  bool make_room(const Connection &connection);
  /// Ends a connection, on whichever side it ended first.
  void close_watched(int fd);
  void refuse(int fd);
  void refuse_by_spare(const Listener &listener);
  /// Waits a little for others to give back what accept(2) needs: epoll would report the same connection at once.
  void pause();
  void configure(int fd, bool is_unix) const;

  const cgrpc_server_options options_;
  Owner *owner_ = nullptr;
  int epoll_fd_ = -1;
  /// Readable: the thread shall end.
  int exit_fd_ = -1;
  /// Readable: the time has come to cancel calls, or to hang up.
  int timer_fd_ = -1;
  /// The thread's alone.
  bool are_calls_cancelled_ = false;
  /// Given up for an instant when descriptors run out, to take a connection off the queue and refuse it.
  int spare_fd_ = -1;
  /// A connection waits that can neither be accepted nor refused. The thread's alone.
  bool is_starved_ = false;
  std::vector<std::string> addresses_;

  /// Guards `listeners_`, which the thread reads and `stop_listening` empties.
  std::mutex mutex_;
  std::vector<Listener> listeners_;
  struct Watched {
    std::shared_ptr<Connection> connection;
    bool is_unix;
  };
  /// By a duplicate of each open connection's descriptor, the only way to see its end once gRPC owns the original. The
  /// thread's alone.
  std::unordered_map<int, Watched> watched_;
  /// Decides which TCP connections may stay; it knows each by its key in `watched_`. Only the acceptor's thread uses
  /// it.
  Places places_;

  std::atomic<uint64_t> connections_{0};
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> gave_way_{0};
  std::atomic<uint64_t> cut_for_calls_{0};
  std::atomic<uint64_t> cut_for_bytes_{0};
  std::thread thread_;
};

}  // namespace cgrpc
