// The acceptor accepts connections before gRPC sees them, so that it can set up their sockets and bound their number.
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
  /// The receiver of the connections. The acceptor calls all functions on its own thread.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Takes over a connected socket. The acceptor keeps `connection` until `closed` has returned.
    virtual void adopt(int fd, const std::shared_ptr<Connection> &connection, bool is_unix) = 0;
    /// A connection has ended: the client is gone, or gRPC has closed the connection.
    ///
    /// - debt: the part of its budget that the connection has used.
    /// - Returns: false when the owner will call `release` later, because the connection still costs something.
    virtual bool closed(const Connection &connection, const Debt &debt, bool is_unix) = 0;
    /// The server has cut a TCP connection. A call of `closed` for this connection follows.
    virtual void was_cut(const Connection &connection, cgrpc_excess excess) = 0;
    /// The time that `end_in` was given has passed. The owner must cancel all calls.
    virtual void cancel_calls() = 0;
  };

  /// Throws std::runtime_error when the process has no descriptors left.
  explicit Acceptor(const cgrpc_server_options &options);
  /// Stops the thread, as `stop` does, and closes the acceptor's descriptors.
  ~Acceptor();
  Acceptor(const Acceptor &) = delete;
  Acceptor &operator=(const Acceptor &) = delete;

  /// Adds listening sockets. May be called only before `start`.
  void add(std::vector<Listener> listeners);
  /// The addresses of all listening sockets that were added, with the ports that the system chose.
  const std::vector<std::string> &addresses() const { return addresses_; }

  /// Starts the acceptor's thread. `owner` must outlive this object. Throws std::runtime_error when a socket cannot be
  /// watched.
  void start(Owner &owner);

  /// Counts one connection less, for a connection for which `closed` returned false. May be called from any thread.
  void release() { connections_.fetch_sub(1, std::memory_order_relaxed); }

  /// Ends the acceptor's thread and waits for it. Open connections belong to gRPC and stay open. Must not be called on
  /// the acceptor's thread.
  void stop();

  /// Lets the owner cancel all calls after the time `pause`, and ends the connections that are still open one second
  /// later. Without the second step, gRPC would wait for a client that does not read until the client misses a ping.
  /// May be called from any thread, after `start`.
  void end_in(std::chrono::milliseconds pause);

  /// Closes the listening sockets. May be called from any thread and any number of times.
  void stop_listening();

  /// The counters at this moment. May be called from any thread.
  cgrpc_server_counters counters() const;

 private:
  /// The acceptor's thread: waits for events and handles them until `stop` is called.
  void run() noexcept;
  /// Handles an event of the timer, of an open connection or of a listening socket.
  void handle(int fd);
  /// Handles the timer: cancels the calls the first time, and ends all connections the second time.
  void end();
  void set_timer(std::chrono::milliseconds pause) const;
  /// Accepts one connection of a listening socket.
  void accept_from(const Listener &listener);
  /// Takes over an accepted socket: gives the connection to the owner, or refuses it when there is no room.
  void admit(int fd, bool is_unix);
  /// Makes room for a new connection. If necessary, closes an older connection that has no call.
  ///
  /// - Returns: false when there is no room.
  bool make_room(const Connection &connection);
  /// Ends a connection for good, whether the client, gRPC or the acceptor ended it first. `fd` is its key in
  /// `watched_`.
  void close_watched(int fd);
  /// Closes an accepted socket and counts it as refused.
  void refuse(int fd);
  /// Refuses a connection for which the process has no descriptor: frees the spare descriptor, accepts with it, and
  /// closes. Admits the connection when descriptors have become free meanwhile.
  void refuse_by_spare(const Listener &listener);
  /// Waits up to 100 ms, in which other threads may free the descriptors or the memory that accept(2) needs. Without
  /// the wait, epoll would report the same connection again at once.
  void pause();
  /// Sets the options of an accepted socket.
  void configure(int fd, bool is_unix) const;

  const cgrpc_server_options options_;
  Owner *owner_ = nullptr;
  int epoll_fd_ = -1;
  /// An eventfd, which becomes readable when the thread must end.
  int exit_fd_ = -1;
  /// A timerfd, which becomes readable when the thread must cancel the calls, or must end the connections that are
  /// left.
  int timer_fd_ = -1;
  /// True after the owner has cancelled the calls. Only the acceptor's thread uses it.
  bool are_calls_cancelled_ = false;
  /// A descriptor of /dev/null in reserve. When the process has no descriptor left, the thread closes this one for an
  /// instant, so that it can accept a connection and refuse it.
  int spare_fd_ = -1;
  /// True while a connection waits that the thread can neither accept nor refuse. Only the acceptor's thread uses it.
  bool is_starved_ = false;
  std::vector<std::string> addresses_;

  /// Guards `listeners_`, which the acceptor's thread reads and `stop_listening` empties.
  std::mutex mutex_;
  std::vector<Listener> listeners_;
  struct Watched {
    std::shared_ptr<Connection> connection;
    bool is_unix;
  };
  /// The open connections. The key is a duplicate of the connection's descriptor: gRPC owns the original, and only with
  /// a duplicate can the acceptor see the end of the connection. Only the acceptor's thread uses the map.
  std::unordered_map<int, Watched> watched_;
  /// Decides which TCP connections may stay, and names each by its key in `watched_`. Only the acceptor's thread uses
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
