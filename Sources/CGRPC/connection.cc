#include "connection.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <linux/tcp.h>  // not <netinet/tcp.h>, whose tcp_info ends before the window
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace cgrpc {
namespace {

/// Windows are rounded, and as old as the last acknowledgement.
constexpr size_t tolerance = 256 << 10;
/// Less than that is no delay worth stopping for: a third of a second of JPEG at 30 frames per second.
constexpr size_t always_allowed = 1 << 20;
/// Only when more than that may be unread is the kernel asked, until the connection is wide: asking costs a twelfth of
/// what sending a small message does.
constexpr size_t unasked = always_allowed / 2;
/// Before a larger message it is asked, too; the first one widens the connection.
constexpr size_t small_message = always_allowed / 4;

std::string ipv4_name(const in_addr &address, in_port_t port) {
  char text[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &address, text, sizeof text);
  return std::string("ipv4:") + text + ":" + std::to_string(ntohs(port));
}

std::string ipv6_name(const sockaddr_in6 &address) {
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
    in_addr mapped{};
    std::copy_n(address.sin6_addr.s6_addr + 12, 4, reinterpret_cast<uint8_t *>(&mapped));
    return ipv4_name(mapped, address.sin6_port);
  }
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
  // gRPC writes it as a URI.
  const std::string scope = address.sin6_scope_id == 0 ? "" : "%25" + std::to_string(address.sin6_scope_id);
  return std::string("ipv6:%5B") + text + scope + "%5D:" + std::to_string(ntohs(address.sin6_port));
}

std::string peer_name(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr *>(&address), &length) != 0) return std::string();
  switch (address.ss_family) {
    case AF_INET: {
      const auto &ipv4 = reinterpret_cast<const sockaddr_in &>(address);
      return ipv4_name(ipv4.sin_addr, ipv4.sin_port);
    }
    case AF_INET6:
      return ipv6_name(reinterpret_cast<const sockaddr_in6 &>(address));
    default:
      return std::string();
  }
}

}  // namespace

Connection::Connection(int fd, size_t unsent_low_water)
    : fd_(fd), unsent_low_water_(unsent_low_water), peer_(peer_name(fd)) {}

Connection::~Connection() {
  close(fd_);
}

void Connection::will_write(size_t message_bytes) {
  if (message_bytes <= small_message) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (look() && !is_wide_) widen();
}

void Connection::did_write(size_t message_bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  written_since_ += message_bytes;
}

bool Connection::is_behind(WrittenMessage &message) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!is_wide_ && unread_ + written_since_ <= unasked) return false;
  if (!look()) return false;
  if (is_wide_ && !message.end.has_value()) message.end = queued_;
  const size_t allowed = std::max(message.bytes + tolerance, always_allowed);
  if (unread_ > allowed) {
    ask_for_window();
    return true;
  }
  if (!message.end.has_value()) return false;
  // An eighth, so that the link has something to do until the next look.
  return *message.end > sent_ + std::max(message.bytes / 8, unsent_low_water_) || *message.end > taken_ + allowed;
}

bool Connection::look() {
  unread_ = written_since_ = 0;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  // Linux before 5.4 returns less.
  if (length < offsetof(tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd) return false;
  const size_t window = info.tcpi_snd_wnd;
  widest_window_ = std::max(widest_window_, window);
  unread_ = widest_window_ - window;
  if (heard_ != info.tcpi_bytes_received) {
    unread_ = std::min({unread_, static_cast<size_t>(info.tcpi_bytes_acked - taken_), always_allowed});
    widest_window_ = window + unread_;
  }
  heard_ = info.tcpi_bytes_received;
  taken_ = info.tcpi_bytes_acked;
  if (!is_wide_) return true;
  // After the rest: what is acknowledged in between makes too little of it. The counters of tcp_info would drift apart
  // with each segment that is dropped on this side.
  int unacknowledged = 0;
  if (ioctl(fd_, SIOCOUTQ, &unacknowledged) != 0) return false;
  queued_ = taken_ + static_cast<uint64_t>(unacknowledged);
  sent_ = queued_ - std::min<uint64_t>(queued_, info.tcpi_notsent_bytes);
  return true;
}

void Connection::widen() {
  is_wide_ = true;
  // 0 leaves either to the system again, whose buffer grows with what the peer takes. Linux before 5.14 cannot for the
  // buffer, which then stays small.
  const int by_the_system = 0;
  setsockopt(fd_, SOL_SOCKET, SO_BUF_LOCK, &by_the_system, sizeof by_the_system);
  setsockopt(fd_, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &by_the_system, sizeof by_the_system);
}

void Connection::ask_for_window() const {
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

void Connections::add(const std::shared_ptr<Connection> &connection) {
  if (connection->peer().empty()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  by_peer_[connection->peer()] = connection;
}

void Connections::remove(const Connection &connection) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = by_peer_.find(connection.peer());
  // The port may already be another connection's.
  if (entry != by_peer_.end() && entry->second.lock().get() == &connection) by_peer_.erase(entry);
}

std::weak_ptr<Connection> Connections::find(const std::string &peer) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = by_peer_.find(peer);
  return entry == by_peer_.end() ? std::weak_ptr<Connection>() : entry->second;
}

}  // namespace cgrpc
