// The sockets that listen for connections.
#pragma once

#include <string>
#include <vector>

namespace cgrpc {

/// A socket that is bound, listens, and does not block. The destructor closes the socket and removes the file of a Unix
/// socket.
class Listener {
 public:
  /// Binds the sockets of an address, whose form `cgrpc_server_listen` describes. Throws std::runtime_error with a
  /// sentence for people.
  ///
  /// - receive_buffer: SO_RCVBUF of TCP connections in bytes. The option limits the window that TCP announces only when
  ///   it is set before listen(2).
  static std::vector<Listener> bind(const std::string &address, int receive_buffer);

  Listener(Listener &&other) noexcept;
  Listener &operator=(Listener &&) = delete;
  ~Listener();

  int fd() const { return fd_; }
  /// Returns whether the socket is a Unix socket.
  bool is_unix() const { return !unix_path_.empty(); }
  /// The address of the socket, with the port that the system chose.
  const std::string &address() const { return address_; }

 private:
  explicit Listener(int fd) : fd_(fd) {}

  /// Binds the Unix socket at a path. Throws as `bind` does.
  static Listener bind_unix(const std::string &path);
  /// Binds a socket for each address of a host name. Throws as `bind` does.
  static std::vector<Listener> bind_internet(const std::string &host, const std::string &port, int receive_buffer);

  int fd_;
  std::string address_;
  std::string unix_path_;
};

}  // namespace cgrpc
