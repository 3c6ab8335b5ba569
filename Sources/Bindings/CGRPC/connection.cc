#include "connection.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <linux/tcp.h>  // and not <netinet/tcp.h>, whose tcp_info has no window
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace cgrpc {
namespace {

/// The time after the end of a call in which bytes of its large messages may still come.
constexpr auto large_aftermath = std::chrono::seconds(30);
/// The accuracy of windows in bytes: windows are rounded, and the kernel knows them only as of the last
/// acknowledgement.
constexpr size_t tolerance = 256 << 10;
/// The number of bytes that may always be unread. It is a third of a second of JPEG at 30 frames per second, which is
/// not worth stopping for.
constexpr size_t always_allowed = 1 << 20;
/// The number of bytes that may be unread before the kernel is asked at all, as long as the connection is not wide.
/// Asking costs a twelfth of sending a small message.
constexpr size_t unasked = always_allowed / 2;
/// The size up to which a message is small. Before a larger message the kernel is asked in any case, and the first
/// larger message widens the connection.
constexpr size_t small_message = always_allowed / 4;

/// The value of TCP_ESTABLISHED in <netinet/tcp.h>, which cannot be included together with <linux/tcp.h>.
constexpr uint8_t established = 1;

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
  // gRPC percent-encodes the address, because it writes the peer as a URI.
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

/// Returns the client's address without its port. Of an IPv6 address only the network remains, because a client chooses
/// the other half itself.
std::string address_name(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr *>(&address), &length) != 0) return std::string();
  char text[INET6_ADDRSTRLEN];
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in &>(address).sin_addr, text, sizeof text);
    return text;
  }
  if (address.ss_family != AF_INET6) return std::string();
  in6_addr ipv6 = reinterpret_cast<const sockaddr_in6 &>(address).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&ipv6)) {
    inet_ntop(AF_INET, ipv6.s6_addr + 12, text, sizeof text);
    return text;
  }
  if (IN6_IS_ADDR_LOOPBACK(&ipv6)) return "::1";
  if (IN6_IS_ADDR_LINKLOCAL(&ipv6)) {
    // All link-local networks have the same first 64 bits, so the whole address and its interface are kept.
    inet_ntop(AF_INET6, &ipv6, text, sizeof text);
    return std::string(text) + "%" + std::to_string(reinterpret_cast<const sockaddr_in6 &>(address).sin6_scope_id);
  }
  std::fill_n(ipv6.s6_addr + 8, 8, 0);
  inet_ntop(AF_INET6, &ipv6, text, sizeof text);
  return std::string(text) + "/64";
}

}  // namespace

Connection::Connection(int fd, size_t unsent_low_water, const cgrpc_budget &budget)
    : fd_(fd),
      unsent_low_water_(unsent_low_water),
      peer_(peer_name(fd)),
      address_(address_name(fd)),
      budget_(budget, std::chrono::steady_clock::now()) {}

Connection::~Connection() {
  close(fd_);
}

bool Connection::is_established() const {
  tcp_info info{};
  socklen_t length = sizeof info;
  return getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == established;
}

cgrpc_call_budget Connection::open_call(size_t metadata_bytes, ReadingCall &call) {
  {
    std::lock_guard<std::mutex> lock(calls_mutex_);
    calls_.push_back(&call);
  }
  accounted_.fetch_add(bytes_of_call(metadata_bytes), std::memory_order_relaxed);
  const int alive = open_calls_.fetch_add(1, std::memory_order_relaxed) + 1;
  Budget::Verdict verdict;
  {
    std::lock_guard<std::mutex> lock(budget_mutex_);
    verdict = budget_.open_call(static_cast<uint64_t>(alive), std::chrono::steady_clock::now());
  }
  switch (verdict) {
    case Budget::Verdict::within:
      return CGRPC_CALL_WITHIN;
    case Budget::Verdict::burst:
      return CGRPC_CALL_OF_BURST;
    case Budget::Verdict::cut:
      cut(CGRPC_EXCESS_CALLS);
      break;
    case Budget::Verdict::refuse:
      break;
  }
  return CGRPC_CALL_SURPLUS;
}

void Connection::close_call(ReadingCall &call, bool expected_large_messages) {
  {
    std::lock_guard<std::mutex> lock(calls_mutex_);
    const auto found = std::find(calls_.begin(), calls_.end(), &call);
    if (found != calls_.end()) {
      *found = calls_.back();
      calls_.pop_back();
    }
  }
  if (expected_large_messages) {
    large_call_ended_.store(std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    large_calls_.fetch_sub(1, std::memory_order_release);
  }
  open_calls_.fetch_sub(1, std::memory_order_relaxed);
}

void Connection::did_not_read(bool expected_large_messages) {
  // Here and in the functions below, the kernel is asked while the lock is held, so that counters are added to the
  // budget in the order in which they were read.
  std::lock_guard<std::mutex> lock(budget_mutex_);
  const Instant now = std::chrono::steady_clock::now();
  const auto seen = traffic(now);
  // All bytes of the incomplete message may have come since the last look, so they are counted before they are
  // forgiven.
  if (seen.has_value()) budget_.count(*seen, now);
  budget_.forgive_message(expected_large_messages, now);
}

std::optional<Traffic> Connection::traffic(Instant now) const {
  Traffic traffic;
  // `accounted_` is read before the kernel is asked. The bytes that it accounts for had been received by then, so
  // `received` contains them.
  traffic.accounted = accounted_.load(std::memory_order_relaxed);
  traffic.large_calls = static_cast<uint32_t>(large_calls_.load(std::memory_order_acquire));
  const Instant ended{Instant::duration(large_call_ended_.load(std::memory_order_relaxed))};
  if (traffic.large_calls == 0 && ended != Instant() && now - ended < large_aftermath) traffic.large_calls = 1;
  int waiting = 0;
  if (ioctl(fd_, SIOCINQ, &waiting) == 0) traffic.waiting = static_cast<uint64_t>(waiting);
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return std::nullopt;
  traffic.received = info.tcpi_bytes_received;
  traffic.acknowledged = info.tcpi_bytes_acked;
  return traffic;
}

Connection::Look Connection::look_at_bytes(Instant now) {
  Budget::State state;
  bool is_mistake;
  Look look;
  {
    std::lock_guard<std::mutex> lock(budget_mutex_);
    const auto seen = traffic(now);
    if (!seen.has_value()) return {1, 0, false};
    state = budget_.look(*seen, now);
    const double bytes = budget_.taken_unaccounted(now) + budget_.forgiven_rest(now);
    look = {budget_.share_left(now), bytes, seen->large_calls > 0};
    // A connection within its budget has no message that is too large, so that one belongs to a read of before.
    if (look.share_left > 0) calm_reads_ = reads_.load(std::memory_order_relaxed);
    is_mistake = budget_.awaits_rest(now);
  }
  if (state == Budget::State::fine) return look;
  const bool may_be_message = state == Budget::State::message_too_large;
  if (may_be_message && refuse_message(true)) return {0, 0, look.is_large};
  cut(CGRPC_EXCESS_BYTES, may_be_message && is_mistake);
  return look;
}

void Connection::give_up_bytes() {
  if (refuse_message(false)) return;
  bool is_mistake;
  {
    std::lock_guard<std::mutex> lock(budget_mutex_);
    is_mistake = budget_.awaits_rest(std::chrono::steady_clock::now());
  }
  cut(CGRPC_EXCESS_BYTES, is_mistake);
}

bool Connection::refuse_message(bool if_too_large) {
  {
    std::lock_guard<std::mutex> lock(budget_mutex_);
    if (!budget_.expects_large_messages()) return false;
  }
  uint64_t calm;
  {
    std::lock_guard<std::mutex> lock(budget_mutex_);
    calm = calm_reads_;
  }
  ReadingCall *newest = nullptr;
  uint64_t read = 0;
  {
    std::lock_guard<std::mutex> lock(calls_mutex_);
    // The newest read of those that were under way when the bytes began to come, or else the newest of all: other calls
    // may complete one message after the other meanwhile.
    for (ReadingCall *call : calls_) {
      const uint64_t began = call->read_under_way();
      if (began == 0) continue;
      const bool is_better = (began <= calm) == (read <= calm) ? began > read : began <= calm;
      if (newest == nullptr || is_better) {
        newest = call;
        read = began;
      }
    }
    if (newest == nullptr) return false;
    newest->keep();
  }
  bool refuses = true;
  {
    std::lock_guard<std::mutex> lock(budget_mutex_);
    const Instant now = std::chrono::steady_clock::now();
    // A message that became complete meanwhile is accounted for before its call begins another read.
    const auto seen = traffic(now);
    if (seen.has_value()) budget_.count(*seen, now);
    refuses = !if_too_large || budget_.has_too_much_under_way(now);
    if (refuses) budget_.refused_message(now);
  }
  if (refuses) newest->refuse_message(read);
  newest->give_back();
  return true;
}

Debt Connection::debt() {
  std::lock_guard<std::mutex> lock(budget_mutex_);
  const Instant now = std::chrono::steady_clock::now();
  const auto seen = traffic(now);
  // The bytes are counted and not judged: a connection that has ended cannot be cut, and the bytes may be half a
  // message.
  if (seen.has_value()) budget_.count(*seen, now);
  return budget_.debt(now);
}

void Connection::cut(cgrpc_excess excess, bool is_mistake) {
  if (is_mistake && excess_.load() == 0) is_mistake_.store(true);
  int none = 0;
  if (!excess_.compare_exchange_strong(none, excess)) return;
  // With this option the kernel closes the connection with a reset. The kernel then keeps nothing of the connection,
  // and a client that waits to send more learns of the end.
  const linger at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  shutdown(fd_, SHUT_RDWR);
  while (recv(fd_, nullptr, 1 << 20, MSG_TRUNC | MSG_DONTWAIT) > 0) {
  }
}

std::optional<cgrpc_excess> Connection::excess() const {
  const int excess = excess_.load();
  return excess == 0 ? std::nullopt : std::optional(static_cast<cgrpc_excess>(excess));
}

void Connection::will_write(size_t message_bytes) {
  if (message_bytes <= small_message) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (look() && !is_wide_) widen();
}

void Connection::did_write(size_t message_bytes) {
  accounted_.fetch_add(bytes_of_written_message, std::memory_order_relaxed);
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
  // Up to an eighth of the message may be unsent, so that the network is busy until the next look.
  return *message.end > sent_ + std::max(message.bytes / 8, unsent_low_water_) || *message.end > taken_ + allowed;
}

bool Connection::look() {
  unread_ = written_since_ = 0;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  // Linux before 5.4 returns a shorter structure without the window.
  if (length < offsetof(tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd) return false;
  const size_t window = info.tcpi_snd_wnd;
  widest_window_ = std::max(widest_window_, window);
  unread_ = widest_window_ - window;
  if (heard_ != info.tcpi_bytes_received) {
    // The process of the client has sent something, so it runs: see `is_behind`.
    unread_ = std::min({unread_, static_cast<size_t>(info.tcpi_bytes_acked - taken_), always_allowed});
    widest_window_ = window + unread_;
  }
  heard_ = info.tcpi_bytes_received;
  taken_ = info.tcpi_bytes_acked;
  if (!is_wide_) return true;
  // The queue is asked after TCP_INFO. Bytes that are acknowledged in between make `queued_` too small, and never too
  // large. The counters of sent bytes in tcp_info cannot replace the queue, because they drift away from it with each
  // segment that is dropped on this machine.
  int unacknowledged = 0;
  if (ioctl(fd_, SIOCOUTQ, &unacknowledged) != 0) return false;
  queued_ = taken_ + static_cast<uint64_t>(unacknowledged);
  sent_ = queued_ - std::min<uint64_t>(queued_, info.tcpi_notsent_bytes);
  return true;
}

void Connection::widen() {
  is_wide_ = true;
  // 0 returns both options to the kernel's own choice, with a send buffer that grows with the bytes that the client
  // takes. Linux before 5.14 cannot return the buffer size, so the buffer stays small there.
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
  std::weak_ptr<Connection> &entry = by_peer_[connection->peer()];
  if (const auto former = entry.lock(); former != nullptr && former->is_established()) {
    throw std::runtime_error("another connection of this peer is open");
  }
  entry = connection;
}

void Connections::remove(const Connection &connection) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = by_peer_.find(connection.peer());
  // The port may already belong to a newer connection.
  if (entry != by_peer_.end() && entry->second.lock().get() == &connection) by_peer_.erase(entry);
}

std::weak_ptr<Connection> Connections::find(const std::string &peer) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = by_peer_.find(peer);
  return entry == by_peer_.end() ? std::weak_ptr<Connection>() : entry->second;
}

}  // namespace cgrpc
