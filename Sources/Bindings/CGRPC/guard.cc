#include "guard.h"

#include <malloc.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "thread.h"

namespace cgrpc {
namespace {

/// The pause between two looks at a usual connection. A look costs a microsecond or two. In 50 ms a client on the same
/// machine can send some megabytes.
constexpr auto usual_pause = std::chrono::milliseconds(50);
/// The pause between two looks at a new connection, whose behaviour is still unknown, and at a connection that has used
/// more than a quarter of its budget of bytes.
constexpr auto short_pause = std::chrono::milliseconds(2);
/// The time for which a connection is new.
constexpr auto newness = std::chrono::milliseconds(500);
/// The part of the budget of bytes below which a connection is looked at more often.
constexpr double enough_left = 0.75;
/// After it has looked, the guard sleeps this many times as long as the looks took, so that no number of connections
/// makes the guard use up a processor.
constexpr int rest_per_look = 10;
/// The largest numbers of unaccounted bytes of all connections together: of those whose requests have some kilobytes
/// each, and of those with calls that expect large messages. gRPC can take forty times as much memory for such bytes.
constexpr double most_small_bytes = 4 << 20;
constexpr double most_large_bytes = 64 << 20;
/// Estimates of the memory in bytes that gRPC allocates for a connection, for a call, and for each byte of small
/// frames.
constexpr double memory_of_connection = 32 << 10;
constexpr double memory_of_call = 16 << 10;
constexpr double memory_of_byte = 32;
/// The number of bytes in the heap from which on giving memory back is worth its price. Connections that come and go
/// one by one never leave so much.
constexpr double much = 8 << 20;
/// The number of unused bytes that the heap uses again each second.
constexpr double reused_per_second = 64 << 10;
/// The time after which the memory of an ended connection has been freed.
constexpr auto aftermath = std::chrono::seconds(2);

}  // namespace

Guard::Guard(const cgrpc_budget &budget)
    : large_message_bytes_(static_cast<double>(budget.large_message_bytes)),
      left_behind_(reused_per_second, std::chrono::steady_clock::now()) {
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
    watched_.push_back({connection, now, now + short_pause, {1, 0, false}});
  }
  changed_.notify_all();
}

void Guard::remove(const Connection &connection, const Debt &debt) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(watched_.begin(), watched_.end(),
                                  [&](const Watched &each) { return each.connection.get() == &connection; });
  if (found == watched_.end()) return;
  // A connection with large messages has probably ended within a message, and messages leave no holes in the heap, so
  // its bytes do not count here.
  const double small_bytes = found->last_look.is_large ? 0 : debt.bytes;
  *found = std::move(watched_.back());
  watched_.pop_back();
  const Instant now = std::chrono::steady_clock::now();
  const double cut = connection.excess().has_value() ? much : 0;
  const double left = cut + memory_of_connection + memory_of_call * debt.calls + memory_of_byte * small_bytes;
  if (left_behind_.add(left, now) >= much && !gives_back_at_.has_value()) gives_back_at_ = now + aftermath;
  changed_.notify_all();
}

void Guard::run() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!is_stopped_) {
    if (gives_back_at_.has_value() && std::chrono::steady_clock::now() >= *gives_back_at_) {
      give_back(lock);
      // The lock was open meanwhile, so the conditions are checked again.
      continue;
    }
    // The thread sleeps until a connection is added, because without connections there is nothing to look at.
    if (watched_.empty() && !gives_back_at_.has_value()) {
      changed_.wait(lock);
    } else {
      const Instant next = look_at_all();
      changed_.wait_until(lock, std::min(next, gives_back_at_.value_or(next)));
    }
  }
}

void Guard::give_back(std::unique_lock<std::mutex> &lock) {
  gives_back_at_.reset();
  left_behind_ = LeakyBucket(reused_per_second, std::chrono::steady_clock::now());
  lock.unlock();
  // For some milliseconds, `malloc_trim` blocks other threads that allocate.
  malloc_trim(0);
  lock.lock();
}

Instant Guard::look_at_all() {
  const Instant now = std::chrono::steady_clock::now();
  // The addition of a connection woke the thread before the thread had slept long enough.
  if (now < rests_until_) return rests_until_;
  Instant next = now + usual_pause;
  // The times of the looks are rounded, so that all connections are looked at together. Waking this thread costs more
  // than a look.
  const auto after = [now](auto pause) { return now - now.time_since_epoch() % pause + pause; };
  bool has_looked = false;
  for (Watched &each : watched_) {
    if (each.next_look <= now) {
      has_looked = true;
      each.last_look = each.connection->look_at_bytes(now);
      const bool is_urgent = each.last_look.share_left < enough_left || now - each.accepted < newness;
      each.next_look = is_urgent ? after(short_pause) : after(usual_pause);
    }
    next = std::min(next, each.next_look);
  }
  if (!has_looked) return next;
  look_at_sum(false, most_small_bytes);
  look_at_sum(true, std::max(most_large_bytes, 8 * large_message_bytes_));
  const Instant::duration took = std::chrono::steady_clock::now() - now;
  rests_until_ = now + std::min<Instant::duration>(rest_per_look * took, usual_pause);
  return std::max(next, rests_until_);
}

void Guard::look_at_sum(bool is_large, double most) {
  const auto counts = [is_large](const Watched &each) {
    return each.last_look.is_large == is_large && !each.connection->excess().has_value();
  };
  double sum = 0;
  for (const Watched &each : watched_) sum += counts(each) ? each.last_look.bytes : 0;
  // The sum is nearly always at most `most`, so the guard allocates memory only after this check.
  if (sum <= most) return;
  std::vector<const Watched *> counted;
  for (const Watched &each : watched_) {
    if (counts(each)) counted.push_back(&each);
  }
  std::unordered_map<std::string, double> by_address;
  for (const Watched *each : counted) by_address[each->connection->address()] += each->last_look.bytes;
  const auto weight = [&](const Watched *each) {
    return std::make_pair(by_address.at(each->connection->address()), each->last_look.bytes);
  };
  std::sort(counted.begin(), counted.end(),
            [&](const Watched *one, const Watched *other) { return weight(one) > weight(other); });
  for (const Watched *each : counted) {
    if (sum <= most) return;
    sum -= each->last_look.bytes;
    each->connection->give_up_bytes();
  }
}

}  // namespace cgrpc
