// Listening sockets.
#pragma once

#include <string>
#include <vector>

namespace cgrpc {

/// A bound, listening, non-blocking socket. Closes it, and removes a Unix socket's path, when destroyed.
class Listener {
 public:
  /// Binds an address as `cgrpc_server_listen` describes it. Throws std::runtime_error with a sentence for people.
  ///
  /// - receive_buffer: SO_RCVBUF of TCP connections; only before listen(2) it bounds the window that TCP announces.
  static std::vector<Listener> bind(const std::string &address, int receive_buffer);

  Listener(Listener &&other) noexcept;
  Listener &operator=(Listener &&) = delete;
  ~Listener();

  int fd() const { return fd_; }
  bool is_unix() const { return !unix_path_.empty(); }
  /// What was bound, the port resolved.
  const std::string &address() const { return address_; }

 private:
  explicit Listener(int fd) : fd_(fd) {}

  static Listener bind_unix(const std::string &path);
  static std::vector<Listener> bind_internet(const std::string &host, const std::string &port, int receive_buffer);

  int fd_;
  std::string address_;
  std::string unix_path_;
};

}  // namespace cgrpc
