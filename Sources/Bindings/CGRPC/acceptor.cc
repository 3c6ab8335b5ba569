#include "acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "thread.h"

namespace cgrpc {
namespace {

void set_option(int fd, int level, int name, int value) {
  // A failure is ignored, because without the option connections are slower and still work.
  setsockopt(fd, level, name, &value, sizeof value);
}

bool watch(int epoll_fd, int fd, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/// Opens the spare descriptor. Returns -1 with errno on failure.
int open_spare() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// The time between cancelling the calls and ending their connections, in which gRPC can still tell the clients that
/// their calls are cancelled.
constexpr auto last_words = std::chrono::seconds(1);

/// Accepts the next connection of a listener. Returns -1 with errno on failure.
int accept_connection(const Listener &listener) {
  return accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Returns whether accept(2) failed because the process or the system has too few descriptors or too little memory.
bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Acceptor::Acceptor(const cgrpc_server_options &options)
    : options_(options),
      places_({static_cast<size_t>(options.max_connections), static_cast<size_t>(options.max_connections_per_address),
               options.budget, std::chrono::milliseconds(options.refusal_ms)}) {
  epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  exit_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  timer_fd_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  spare_fd_ = open_spare();
  const bool opened = epoll_fd_ >= 0 && exit_fd_ >= 0 && timer_fd_ >= 0 && spare_fd_ >= 0;
  if (!opened || !watch(epoll_fd_, exit_fd_, EPOLLIN) || !watch(epoll_fd_, timer_fd_, EPOLLIN)) {
    throw std::runtime_error(std::string("cannot set up the acceptor: ") + std::strerror(errno));
  }
}

Acceptor::~Acceptor() {
  stop();
  for (int fd : {epoll_fd_, exit_fd_, timer_fd_, spare_fd_}) {
    if (fd >= 0) close(fd);
  }
}

void Acceptor::add(std::vector<Listener> listeners) {
  for (Listener &listener : listeners) {
    addresses_.push_back(listener.address());
    listeners_.push_back(std::move(listener));
  }
}

void Acceptor::start(Owner &owner) {
  owner_ = &owner;
  for (const Listener &listener : listeners_) {
    if (!watch(epoll_fd_, listener.fd(), EPOLLIN)) throw std::runtime_error(std::strerror(errno));
  }
  thread_ = start_thread("grpc-accept", [this] { run(); });
}

void Acceptor::stop() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  (void)!write(exit_fd_, &one, sizeof one);
  thread_.join();
}

void Acceptor::stop_listening() {
  std::lock_guard<std::mutex> lock(mutex_);
  listeners_.clear();
}

void Acceptor::end_in(std::chrono::milliseconds pause) {
  // A time of 0 would stop the timer, so at least 1 ms is set.
  set_timer(std::max(pause, std::chrono::milliseconds(1)));
}

void Acceptor::set_timer(std::chrono::milliseconds pause) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(pause);
  itimerspec time{};
  time.it_value.tv_sec = static_cast<time_t>(seconds.count());
  time.it_value.tv_nsec = static_cast<long>(std::chrono::nanoseconds(pause - seconds).count());
  timerfd_settime(timer_fd_, 0, &time, nullptr);
}

cgrpc_server_counters Acceptor::counters() const {
  return {connections_, accepted_, refused_, gave_way_, cut_for_calls_, cut_for_bytes_};
}

void Acceptor::run() noexcept {
  epoll_event events[64];
  while (true) {
    const int count = epoll_wait(epoll_fd_, events, 64, -1);
    // Connections that have ended are handled before listening sockets. A new connection may make the acceptor close an
    // older one and may then get the older one's descriptor, so an event that was meant for the older connection would
    // be applied to the new one.
    std::partition(events, events + std::max(count, 0),
                   [this](const epoll_event &event) { return watched_.count(event.data.fd) > 0; });
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd == exit_fd_) return;
      try {
        handle(events[i].data.fd);
      } catch (...) {
        // The only exception is lack of memory for one connection, which must not end the acceptor.
      }
    }
    if (is_starved_) pause();
  }
}

void Acceptor::pause() {
  is_starved_ = false;
  pollfd exit{exit_fd_, POLLIN, 0};
  poll(&exit, 1, 100);
}

void Acceptor::end() {
  uint64_t times;
  (void)!read(timer_fd_, &times, sizeof times);
  if (!std::exchange(are_calls_cancelled_, true)) {
    set_timer(last_words);
    return owner_->cancel_calls();
  }
  // epoll will report the end of each connection, and `close_watched` will do the rest.
  for (const auto &entry : watched_) shutdown(entry.first, SHUT_RDWR);
}

void Acceptor::handle(int fd) {
  if (fd == timer_fd_) return end();
  if (watched_.count(fd) > 0) return close_watched(fd);
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Listener &listener : listeners_) {
    if (listener.fd() == fd) return accept_from(listener);
  }
}

void Acceptor::close_watched(int fd) {
  const auto [connection, is_unix] = watched_.at(fd);
  watched_.erase(fd);
  // Closing the descriptor would not remove it from epoll, because gRPC still holds the same open file (see epoll(7)).
  // The descriptor's number is soon used again.
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
  // When the client has closed its side, gRPC stops reading but goes on writing. If the client also does not take what
  // gRPC writes, its calls would go on until the client misses a ping. Shutting the socket down ends them now.
  shutdown(fd, SHUT_RDWR);
  const Debt debt = is_unix ? Debt() : connection->debt();
  const auto excess = connection->excess();
  places_.remove(fd, debt, connection->is_hostile(), std::chrono::steady_clock::now());
  if (excess.has_value()) {
    auto &counter = *excess == CGRPC_EXCESS_CALLS ? cut_for_calls_ : cut_for_bytes_;
    counter.fetch_add(1, std::memory_order_relaxed);
    owner_->was_cut(*connection, *excess);
  }
  if (owner_->closed(*connection, debt, is_unix)) release();
}

void Acceptor::accept_from(const Listener &listener) {
  // Only one connection is accepted per event. epoll is level-triggered and reports further connections again, so that
  // several listening sockets take turns.
  const int fd = accept_connection(listener);
  if (fd < 0) {
    if (is_shortage(errno)) refuse_by_spare(listener);
    return;
  }
  admit(fd, listener.is_unix());
  // The spare may be missing since a shortage.
  if (spare_fd_ < 0) spare_fd_ = open_spare();
}

void Acceptor::admit(int fd, bool is_unix) {
  const int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return refuse(fd);
  const auto connection = std::make_shared<Connection>(duplicate, options_.unsent_low_water_bytes, options_.budget);
  if (!make_room(*connection) || !watch(epoll_fd_, duplicate, EPOLLRDHUP)) return refuse(fd);
  watched_[duplicate] = {connection, is_unix};
  if (!is_unix) places_.add(duplicate, connection->address(), std::chrono::steady_clock::now());
  connections_.fetch_add(1, std::memory_order_relaxed);
  accepted_.fetch_add(1, std::memory_order_relaxed);
  configure(fd, is_unix);
  try {
    owner_->adopt(fd, connection, is_unix);
  } catch (...) {
    // Shutting the socket down makes epoll report the end of the connection, as if the client had closed it at once.
    shutdown(duplicate, SHUT_RDWR);
  }
}

bool Acceptor::make_room(const Connection &connection) {
  const size_t used = connections_.load(std::memory_order_relaxed);
  const auto answer = places_.ask(connection.address(), used, std::chrono::steady_clock::now(),
                                  [this](int id) { return watched_.at(id).connection->has_call(); });
  if (answer.gives_way.has_value()) {
    gave_way_.fetch_add(1, std::memory_order_relaxed);
    close_watched(*answer.gives_way);
  }
  return answer.is_admitted;
}

void Acceptor::refuse(int fd) {
  // The connection is counted before it is closed, so that a client that sees its connection closed also finds it
  // counted.
  refused_.fetch_add(1, std::memory_order_relaxed);
  close(fd);
}

void Acceptor::refuse_by_spare(const Listener &listener) {
  // If the connection stayed in the queue, the listening socket would stay readable and this thread would spin.
  if (spare_fd_ >= 0) close(spare_fd_);
  const int fd = accept_connection(listener);
  const int error = errno;
  spare_fd_ = open_spare();
  if (fd < 0) {
    // Accepting failed again: another thread took the freed descriptor first, or memory is short.
    is_starved_ = is_shortage(error);
    return;
  }
  // With the connection and the spare both open, descriptors are free again, so there is no reason to refuse.
  if (spare_fd_ >= 0) return admit(fd, listener.is_unix());
  refuse(fd);
  spare_fd_ = open_spare();
}

void Acceptor::configure(int fd, bool is_unix) const {
  set_option(fd, SOL_SOCKET, SO_SNDBUF, options_.send_buffer_bytes);
  if (is_unix) return;
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, options_.unsent_low_water_bytes);
  // `Connection::ask_for_window` switches keepalive on to ask for the window, with a probe every second. 127 probes,
  // the most that Linux allows, keep the kernel from closing the connection early, because detecting absent clients is
  // gRPC's task.
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 127);
}

}  // namespace cgrpc
