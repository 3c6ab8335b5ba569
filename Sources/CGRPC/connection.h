// An accepted TCP connection, as the kernel sees it beside gRPC.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace cgrpc {

class Connection {
 public:
  /// Takes over a duplicate of the connection's descriptor.
  explicit Connection(int fd);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  int fd() const { return fd_; }

  /// The address of the other end as gRPC writes it: `ipv4:127.0.0.1:4711`. Empty for a Unix socket.
  const std::string &peer() const { return peer_; }

  /// Whether more than a message of `message_bytes` waits in the peer's kernel, unread by its process. Of small ones,
  /// several may. False where the kernel does not tell. From any thread.
  ///
  /// TCP acknowledges for a process that is stopped, so the send queue does not tell. The window the peer offers does:
  /// it shrinks with every byte that nobody reads. A kernel may also shrink its buffers, so the window is compared with
  /// the widest since the peer's process was last heard; one that is not stopped answers at least our keepalive pings.
  bool is_behind(size_t message_bytes);

  /// Has the kernel ask for the window once a second while nothing else is sent: the reader's announces a wider one by
  /// itself only when it has at least doubled.
  void ask_for_window() const;

  /// Before a message is written: remembers how wide the window is while the peer has read most. Asks the kernel only
  /// for a message that is large, because that is a twentieth of what sending a small one costs.
  void observe(size_t message_bytes);

 private:
  /// By how much the window is narrower now than at its widest since the peer's process was last heard; 0 where the
  /// kernel does not tell.
  size_t narrowing();

  const int fd_;
  const std::string peer_;

  std::mutex mutex_;
  /// Bytes received from the peer; `widest_window_` is since then.
  uint64_t heard_ = 0;
  uint32_t widest_window_ = 0;
};

/// The open TCP connections by peer, which is all gRPC tells of a call's connection. Thread-safe.
class Connections {
 public:
  void add(const std::shared_ptr<Connection> &connection);
  void remove(const Connection &connection);
  /// Empty when unknown.
  std::weak_ptr<Connection> find(const std::string &peer) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Connection>> by_peer_;
};

}  // namespace cgrpc
