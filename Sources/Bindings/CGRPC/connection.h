// An accepted TCP connection, as the kernel sees it beside gRPC.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "budget.h"

namespace cgrpc {

/// A message that gRPC has handed to the kernel.
struct WrittenMessage {
  size_t bytes = 0;
  /// Where in the connection's bytes it ends, once somebody looked: what others write later is not waited for.
  std::optional<uint64_t> end;
};

class Connection {
 public:
  /// Takes over a duplicate of the connection's descriptor. `unsent_low_water` is the TCP_NOTSENT_LOWAT it gets.
  Connection(int fd, size_t unsent_low_water, const cgrpc_budget &budget);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  int fd() const { return fd_; }

  /// The address of the other end as gRPC writes it: `ipv4:127.0.0.1:4711`. Empty for a Unix socket.
  const std::string &peer() const { return peer_; }

  /// Who is at the other end: the IPv4 address, or the first 64 bits of the IPv6 address, of which one client often has
  /// all. Empty for a Unix socket.
  const std::string &address() const { return address_; }

  /// Returns whether the kernel holds the connection established, so neither end has closed it.
  bool is_established() const;

  // MARK: What it costs, from any thread

  /// The peer has opened a call with so many bytes of metadata. Cuts the connection when that is far too much.
  /// - Returns: whether the call is within the budget.
  bool open_call(size_t metadata_bytes);
  void close_call(bool expected_large_messages);
  void expect_large_messages() { large_calls_.fetch_add(1, std::memory_order_relaxed); }
  bool has_call() const { return open_calls_.load(std::memory_order_relaxed) > 0; }

  /// A handler took a message of so many bytes.
  void did_read(size_t message_bytes) {
    accounted_.fetch_add(bytes_of_message(message_bytes), std::memory_order_relaxed);
  }

  /// A call was cancelled. One of its messages may have been on its way.
  void did_not_read(bool expected_large_messages);

  struct Look {
    /// The share of the budget of bytes that is left, 0 to 1.
    double share_left;
    /// The bytes that gRPC has read and that nothing accounts for.
    double bytes;
    /// Whether the connection has a call of a method with large requests, or had one within the last 30 seconds.
    bool is_large;
  };

  /// Asks the kernel how much was received, and cuts the connection when that is far more than calls and messages
  /// account for.
  Look look_at_bytes(Instant now);

  /// What of its budget is used, once it has ended.
  Debt debt();

  /// Ends the connection and throws away what gRPC has not read of it: it would go on with what has arrived.
  void cut(cgrpc_excess excess);

  /// Why the connection was cut, if it was.
  std::optional<cgrpc_excess> excess() const;

  /// Before a message is written: a large one has the kernel asked how wide the window is while the peer has read most,
  /// and from the first one on the kernel takes as much at once as it can.
  void will_write(size_t message_bytes);

  /// After a message was written.
  void did_write(size_t message_bytes);

  /// Whether more than the message just written, or a megabyte, is on its way or waits in the peer's kernel, unread by
  /// its process; or too much of it is not even on its way. False where the kernel does not tell. From any thread.
  ///
  /// TCP acknowledges for a process that is stopped, so the send queue does not tell. The window the peer offers does:
  /// it shrinks with every byte that nobody reads. A kernel may also shrink its buffers, so one whose process was heard
  /// is not behind, and has probably read what came before; if it is not stopped, it answers at least our keepalive
  /// pings.
  bool is_behind(WrittenMessage &message);

 private:
  /// What it has done so far; nothing where the kernel does not tell.
  std::optional<Traffic> traffic(Instant now) const;

  /// Asks the kernel, and reckons anew what is unread. False where it does not tell.
  bool look();

  /// Has the kernel take a large message with few calls, because a process that hands it over in pieces is woken for
  /// each. How much of it waits is then told by `look()`.
  void widen();

  /// Has the kernel ask for the window once a second while nothing else is sent: the reader's announces a wider one by
  /// itself only when it has at least doubled.
  void ask_for_window() const;

  const int fd_;
  const size_t unsent_low_water_;
  const std::string peer_;
  const std::string address_;

  std::atomic<int> open_calls_{0};
  std::atomic<int> large_calls_{0};
  /// When the last one ended: what was on its way to it may still come.
  std::atomic<Instant::rep> large_call_ended_{0};
  std::atomic<uint64_t> accounted_{0};
  /// 0 or a cgrpc_excess.
  std::atomic<int> excess_{0};
  std::mutex budget_mutex_;
  Budget budget_;

  std::mutex mutex_;
  /// What seemed to wait unread at the last look, and what was written since.
  size_t unread_ = 0;
  size_t written_since_ = 0;
  size_t widest_window_ = 0;
  bool is_wide_ = false;
  /// Bytes received from the peer at the last look.
  uint64_t heard_ = 0;
  /// How many of the connection's bytes the peer's kernel had taken, were on their way to it, or were handed to ours.
  uint64_t taken_ = 0;
  uint64_t sent_ = 0;
  uint64_t queued_ = 0;
};

/// The open TCP connections by peer, which is all gRPC tells of a call's connection. Thread-safe.
class Connections {
 public:
  /// Throws when the peer has an open connection from the same port to another address of this machine: the calls of
  /// the two could not be told apart.
  void add(const std::shared_ptr<Connection> &connection);
  void remove(const Connection &connection);
  /// Empty when unknown.
  std::weak_ptr<Connection> find(const std::string &peer) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Connection>> by_peer_;
};

}  // namespace cgrpc
