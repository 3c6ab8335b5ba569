#include "listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace cgrpc {
namespace {

constexpr int backlog = 128;
constexpr int socket_type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

/// Throws std::runtime_error with a description and the text of an errno.
[[noreturn]] void fail(const std::string &what, int error) {
  throw std::runtime_error(what + ": " + std::strerror(error));
}

sockaddr_un make_unix_address(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) fail("unix:" + path, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// Removes the file of a Unix socket when no process listens on it any more. The file of a socket outlives its process,
/// and would keep a new process from binding the path.
void remove_stale_socket(const std::string &path, const sockaddr_un &address) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  const bool refused =
      connect(probe, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  close(probe);
  if (refused) unlink(path.c_str());
}

/// Returns an address as text, with numbers for host and port.
std::string numeric_address(const sockaddr_storage &address, socklen_t length) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  const int error = getnameinfo(reinterpret_cast<const sockaddr *>(&address), length, host, sizeof host, port,
                                sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  if (error != 0) throw std::runtime_error(std::string("getnameinfo: ") + gai_strerror(error));
  const std::string name = address.ss_family == AF_INET6 ? "[" + std::string(host) + "]" : std::string(host);
  return name + ":" + port;
}

/// Sets the port of an address. When a host name has several addresses and the port is 0, all its sockets get the port
/// that the system chose for the first one.
void set_port(sockaddr *address, in_port_t port) {
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6 *>(address)->sin6_port = port;
  } else {
    reinterpret_cast<sockaddr_in *>(address)->sin_port = port;
  }
}

in_port_t get_port(const sockaddr_storage &address) {
  return address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6 &>(address).sin6_port
                                       : reinterpret_cast<const sockaddr_in &>(address).sin_port;
}

}  // namespace

Listener::Listener(Listener &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      address_(std::move(other.address_)),
      unix_path_(std::exchange(other.unix_path_, std::string())) {}

Listener::~Listener() {
  if (fd_ < 0) return;
  if (is_unix()) unlink(unix_path_.c_str());
  close(fd_);
}

std::vector<Listener> Listener::bind(const std::string &address, int receive_buffer) {
  if (address.rfind("unix:", 0) == 0) {
    std::vector<Listener> one;
    one.push_back(bind_unix(address.substr(5)));
    return one;
  }
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) throw std::runtime_error(address + ": no port; expected host:port or unix:/path");
  std::string host = address.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    throw std::runtime_error(address + ": an IPv6 address needs brackets, as in [::1]:50051");
  }
  return bind_internet(host, address.substr(colon + 1), receive_buffer);
}

Listener Listener::bind_unix(const std::string &path) {
  const sockaddr_un address = make_unix_address(path);
  remove_stale_socket(path, address);
  Listener listener(socket(AF_UNIX, socket_type, 0));
  if (listener.fd_ < 0) fail("unix:" + path, errno);
  if (::bind(listener.fd_, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
    fail("unix:" + path, errno);
  }
  listener.unix_path_ = path;
  listener.address_ = "unix:" + path;
  if (listen(listener.fd_, backlog) != 0) fail(listener.address_, errno);
  return listener;
}

std::vector<Listener> Listener::bind_internet(const std::string &host, const std::string &port, int receive_buffer) {
  const std::string name = host + ":" + port;
  // getaddrinfo accepts 99999 as a port and uses its lower 16 bits, so the range is checked here.
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string::npos ||
      std::stoi(port) > UINT16_MAX) {
    throw std::runtime_error(name + ": the port must be a number from 0 to 65535");
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo *list = nullptr;
  const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &list);
  if (error != 0) throw std::runtime_error(name + ": " + gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, &freeaddrinfo);

  std::vector<Listener> bound;
  in_port_t shared_port = 0;
  int last_error = EADDRNOTAVAIL;
  for (addrinfo *info = list; info != nullptr; info = info->ai_next) {
    // getaddrinfo also returns IPv6 addresses where the kernel or the container has no IPv6. Such addresses are skipped
    // as long as one other address of the name can be bound.
    Listener listener(socket(info->ai_family, socket_type, 0));
    if (listener.fd_ < 0) {
      last_error = errno;
      continue;
    }
    const int on = 1;
    setsockopt(listener.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // Accepted connections inherit the option.
    setsockopt(listener.fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    // A socket for "[::]" alone also serves IPv4. When the name has further addresses, it must serve only IPv6, because
    // it would collide with a socket for 0.0.0.0.
    const int v6_only = list->ai_next != nullptr ? 1 : 0;
    if (info->ai_family == AF_INET6) {
      setsockopt(listener.fd_, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only);
    }
    if (shared_port != 0) set_port(info->ai_addr, shared_port);
    if (::bind(listener.fd_, info->ai_addr, info->ai_addrlen) != 0) {
      last_error = errno;
      if (last_error == EADDRNOTAVAIL) continue;
      fail(name, last_error);
    }
    if (listen(listener.fd_, backlog) != 0) fail(name, errno);
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (getsockname(listener.fd_, reinterpret_cast<sockaddr *>(&address), &length) != 0) fail(name, errno);
    shared_port = get_port(address);
    listener.address_ = numeric_address(address, length);
    bound.push_back(std::move(listener));
  }
  if (bound.empty()) fail(name, last_error);
  return bound;
}

}  // namespace cgrpc
