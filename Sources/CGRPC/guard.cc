#include "guard.h"

#include <malloc.h>

#include <algorithm>

#include "thread.h"

namespace cgrpc {
namespace {

/// A look costs a microsecond or two. In 50 ms a client on the same machine can send some megabytes.
constexpr auto usual_pause = std::chrono::milliseconds(50);
/// Until a connection has shown what it is, and when it has used some of its budget.
constexpr auto short_pause = std::chrono::milliseconds(5);
constexpr auto newness = std::chrono::milliseconds(500);
constexpr double enough_left = 0.75;
/// What makes gRPC allocate, roughly in bytes: a connection, a call, and that many for each byte of small frames.
constexpr double bytes_of_connection = 32 << 10;
constexpr double bytes_of_call = 16 << 10;
constexpr double bytes_of_byte = 32;
/// So much is worth giving back.
constexpr double much = 8 << 20;
/// Until what a connection held has been freed.
constexpr auto aftermath = std::chrono::seconds(2);

}  // namespace

Guard::Guard() {
  thread_ = start_thread("grpc-guard", [this] { run(); });
}

Guard::~Guard() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Guard::add(const std::shared_ptr<Connection> &connection) {
  const Instant now = std::chrono::steady_clock::now();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    watched_.push_back({connection, now, now + short_pause});
  }
  changed_.notify_all();
}

void Guard::remove(const Connection &connection, const Debt &debt) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(watched_.begin(), watched_.end(),
                                  [&](const Watched &each) { return each.connection.get() == &connection; });
  if (found == watched_.end()) return;
  *found = std::move(watched_.back());
  watched_.pop_back();
  left_behind_ += bytes_of_connection + bytes_of_call * debt.calls + bytes_of_byte * debt.bytes;
  if (left_behind_ >= much) gives_back_at_ = std::chrono::steady_clock::now() + aftermath;
  changed_.notify_all();
}

void Guard::run() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!is_stopped_) {
    if (left_behind_ >= much && std::chrono::steady_clock::now() >= gives_back_at_) give_back(lock);
    // Without a connection nobody wakes this thread.
    if (watched_.empty() && left_behind_ < much) {
      changed_.wait(lock);
    } else {
      const Instant next = look_at_all();
      changed_.wait_until(lock, left_behind_ < much ? next : std::min(next, gives_back_at_));
    }
  }
}

void Guard::give_back(std::unique_lock<std::mutex> &lock) {
  left_behind_ = 0;
  lock.unlock();
  // It holds up who allocates meanwhile, for some milliseconds, which a good day never asks of anybody.
  malloc_trim(0);
  lock.lock();
}

Instant Guard::look_at_all() {
  const Instant now = std::chrono::steady_clock::now();
  Instant next = now + usual_pause;
  for (Watched &each : watched_) {
    if (each.next_look <= now) {
      const bool is_urgent = each.connection->look_at_bytes(now) < enough_left || now - each.accepted < newness;
      each.next_look = now + (is_urgent ? short_pause : usual_pause);
    }
    next = std::min(next, each.next_look);
  }
  return next;
}

}  // namespace cgrpc
