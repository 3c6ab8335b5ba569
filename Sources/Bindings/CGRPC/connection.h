// An accepted connection, mostly of TCP, with the facts that the kernel tells about it and gRPC does not.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "budget.h"

namespace cgrpc {

/// A message that gRPC has handed to the kernel.
struct WrittenMessage {
  /// The length of the message.
  size_t bytes = 0;
  /// The position in the connection's byte stream at which the message ends. Unknown until the first look at the
  /// connection after the write. With the position, a write does not have to wait for bytes that other calls write
  /// later.
  std::optional<uint64_t> end;
};

/// A call as its connection knows it.
class ReadingCall {
 public:
  /// Returns the number of the read that is under way, which `Connection::next_read` gave. 0 when there is none.
  virtual uint64_t read_under_way() const = 0;
  /// Keeps the call until `give_back`. Called only while the connection has the call.
  virtual void keep() = 0;
  virtual void give_back() = 0;
  /// Ends the read `read` and tells the handler that the message is too large. Returns false when the read is over.
  virtual bool refuse_message(uint64_t read) = 0;

 protected:
  ~ReadingCall() = default;
};

/// A connection whose socket gRPC owns, seen through a duplicate of the socket's descriptor.
class Connection {
 public:
  /// Takes over a duplicate of the connection's descriptor. `unsent_low_water` is the TCP_NOTSENT_LOWAT of the socket,
  /// in bytes.
  Connection(int fd, size_t unsent_low_water, const cgrpc_budget &budget);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// The duplicate descriptor, which this object closes.
  int fd() const { return fd_; }

  /// The client's address in the form in which gRPC writes it, for example `ipv4:127.0.0.1:4711`. Empty for a Unix
  /// socket.
  const std::string &peer() const { return peer_; }

  /// The part of the client's address that identifies the client to the limits: the IPv4 address, or the first 64 bits
  /// of the IPv6 address, because one client often has the whole network. A link-local IPv6 address counts whole. Empty
  /// for a Unix socket.
  const std::string &address() const { return address_; }

  /// Returns whether the kernel considers the connection established, which means that neither end has closed it.
  bool is_established() const;

  // MARK: What it costs, from any thread

  /// Counts a call that the client has opened with metadata of `metadata_bytes` bytes. Cuts the connection when the
  /// client has opened far too many calls.
  ///
  /// - Returns: what the budget says about the call.
  cgrpc_call_budget open_call(size_t metadata_bytes, ReadingCall &call);
  /// Counts the end of a call. `expected_large_messages` says whether `expect_large_messages` was called for it.
  void close_call(ReadingCall &call, bool expected_large_messages);
  /// Returns a number for a read that a call begins. The numbers grow and begin at 1.
  uint64_t next_read() { return reads_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Counts a call whose messages may be large. Called once for each such call.
  void expect_large_messages() { large_calls_.fetch_add(1, std::memory_order_relaxed); }
  /// Returns whether the connection has a call that is not over.
  bool has_call() const { return open_calls_.load(std::memory_order_relaxed) > 0; }

  /// Counts a message of `message_bytes` bytes that a handler has read.
  void did_read(size_t message_bytes) {
    accounted_.fetch_add(bytes_of_message(message_bytes), std::memory_order_relaxed);
  }

  /// Forgives the bytes of a message that was incomplete when its call was cancelled.
  void did_not_read(bool expected_large_messages);

  /// The result of a look at a connection.
  struct Look {
    /// The part of the budget of bytes that is left, from 0 to 1.
    double share_left;
    /// The number of bytes that gRPC has read and that nothing accounts for.
    double bytes;
    /// True when the connection has a call that expects large messages, or had one within the last 30 seconds.
    bool is_large;
  };

  /// Asks the kernel how many bytes were received. When they are far more than the connection's calls and messages
  /// account for, refuses the message that they may belong to, or cuts the connection when they belong to none.
  Look look_at_bytes(Instant now);

  /// Refuses the message that is under way, or cuts the connection when no call reads one.
  void give_up_bytes();

  /// Returns the part of the budget that the connection has used, after the connection has ended.
  Debt debt();

  /// Ends the connection and throws away the received bytes that gRPC has not read yet. gRPC would otherwise go on to
  /// read them. The first reason stays when the connection is cut again.
  ///
  /// - is_mistake: whether the bytes may be the rest of a refused message, so that the address is not to blame.
  void cut(cgrpc_excess excess, bool is_mistake = false);

  /// Returns whether the connection was cut for what no honest client does.
  bool is_hostile() const { return excess_.load() != 0 && !is_mistake_.load(); }

  /// Returns the reason for which the connection was cut. Empty when it was not cut.
  std::optional<cgrpc_excess> excess() const;

  /// Prepares the connection for a message of `message_bytes` bytes that is about to be written. Before a large message
  /// the kernel is asked how wide the client's window is, because the client has read most bytes at this time. The
  /// first large message also widens the connection.
  void will_write(size_t message_bytes);

  /// Counts a message of `message_bytes` bytes that was written.
  void did_write(size_t message_bytes);

  /// Returns whether the next message must wait. The connection is behind when more bytes than `message` has, and more
  /// than a megabyte, are on their way to the client or wait unread in the client's kernel, or when too much of
  /// `message` is not even on its way. Returns false when this machine's kernel does not know. May be called from any
  /// thread.
  ///
  /// The send queue alone does not tell how much the client has read, because the client's kernel acknowledges bytes
  /// also when the client's process is stopped. But the window that the client's kernel offers shrinks by every byte
  /// that the process does not read.
  ///
  /// The client's kernel may also shrink its receive buffer, which looks the same. When bytes have come from the client
  /// since the last look, its process runs and has probably read what came before, so the connection is not behind. A
  /// client that is not stopped at least answers the server's keepalive pings.
  bool is_behind(WrittenMessage &message);

 private:
  /// Refuses the message that is under way. gRPC does not tell to which call it belongs, so it is taken for that of the
  /// read which began last. The handler of a call that is refused wrongly ends with an error; the next look then
  /// refuses the message of the next call.
  ///
  /// - if_too_large: whether to ask once more whether the message is too large, because it may have become complete.
  /// - Returns: false when no call reads.
  bool refuse_message(bool if_too_large);

  /// Returns the counters of the connection. Empty when the kernel does not know them.
  std::optional<Traffic> traffic(Instant now) const;

  /// Asks the kernel, and computes anew how many bytes are unread. Returns false when the kernel does not know.
  bool look();

  /// Makes the kernel take a large message in few pieces, because each piece wakes the process once. From then on
  /// `look` also finds how much of a message is not on its way yet.
  void widen();

  /// Switches TCP keepalive on, so that the kernel asks for the client's window once a second while it sends nothing
  /// else. By itself, the client's kernel announces a wider window only when the window has at least doubled.
  void ask_for_window() const;

  const int fd_;
  const size_t unsent_low_water_;
  const std::string peer_;
  const std::string address_;

  /// The number of calls that are not over.
  std::atomic<int> open_calls_{0};
  /// The number of these calls that expect large messages.
  std::atomic<int> large_calls_{0};
  /// The time at which the last call with large messages ended. Bytes of its messages may still come after that. 0
  /// before.
  std::atomic<Instant::rep> large_call_ended_{0};
  /// The number of received bytes that messages and calls account for.
  std::atomic<uint64_t> accounted_{0};
  /// 0, or the cgrpc_excess for which the connection was cut.
  std::atomic<int> excess_{0};
  std::atomic<bool> is_mistake_{false};
  /// The number of reads that calls have begun.
  std::atomic<uint64_t> reads_{0};
  /// The number of reads that had begun when the connection was last within its budget. Behind `budget_mutex_`.
  uint64_t calm_reads_ = 0;
  /// Guards `calls_`, the calls that are not over.
  std::mutex calls_mutex_;
  std::vector<ReadingCall *> calls_;
  /// Guards `budget_`.
  std::mutex budget_mutex_;
  Budget budget_;

  /// Guards the members below.
  std::mutex mutex_;
  /// The number of bytes that seemed to be unread at the last look.
  size_t unread_ = 0;
  /// The number of bytes that were written since the last look.
  size_t written_since_ = 0;
  /// The widest window that the client's kernel has offered, less what it may have shrunk.
  size_t widest_window_ = 0;
  /// True after `widen` was called.
  bool is_wide_ = false;
  /// The number of bytes that had been received from the client at the last look.
  uint64_t heard_ = 0;
  /// Three positions in the connection's byte stream at the last look: up to `taken_` the client's kernel had
  /// acknowledged the bytes, up to `sent_` they were at least on their way, and up to `queued_` this machine's kernel
  /// had them.
  uint64_t taken_ = 0;
  uint64_t sent_ = 0;
  uint64_t queued_ = 0;
};

/// The open TCP connections by the address of their client, which is the only fact that gRPC gives about the connection
/// of a call. Thread-safe.
class Connections {
 public:
  /// Adds a connection. Throws std::runtime_error when the client has an open connection from the same port to another
  /// address of this machine, because the calls of the two connections could not be told apart.
  void add(const std::shared_ptr<Connection> &connection);
  /// Removes a connection, unless a newer connection from the same port has replaced it.
  void remove(const Connection &connection);
  /// Returns the connection of a client. Empty when it is unknown.
  std::weak_ptr<Connection> find(const std::string &peer) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Connection>> by_peer_;
};

}  // namespace cgrpc
