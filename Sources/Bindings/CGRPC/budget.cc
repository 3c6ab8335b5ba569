#include "budget.h"

#include <algorithm>
#include <utility>

namespace cgrpc {
namespace {

/// A reader sends a window update of 13 bytes for its stream and one for its connection, mostly for each 32 KiB that it
/// takes, and answers pings. One byte in 256 is five times that.
constexpr double bytes_per_acknowledged = 1.0 / 256;
/// Calls that are over for the client are not yet over here when the machine is busy.
constexpr uint64_t most_alive = 3;
/// A surplus call is answered with an error that tells a client by mistake in a loop what is wrong. It costs less than
/// one that is served and counts half. So a client is cut that opens more than twice as many calls a second as it may,
/// or twice as many at once.
constexpr double surplus_call = 0.5;
constexpr double cut_at = 1.5;
/// Looks are 2 ms apart when it matters, in which gRPC reads a megabyte of a message, but of pings 4 kB.
constexpr uint64_t slow_bytes = 32 << 10;
constexpr int slow_looks = 4;
/// Messages of so many calls can be on their way at once.
constexpr uint32_t most_large_calls = 4;
/// See `debt`.
constexpr double bytes_at_end = 16;

}  // namespace

double LeakyBucket::add(double amount, Instant now, double most) {
  const std::chrono::duration<double> passed = now - at_;
  // Two threads may ask in another order than their clocks said.
  if (passed.count() > 0) {
    level_ = std::max(0.0, level_ - per_second_ * passed.count());
    at_ = now;
  }
  level_ = std::clamp(level_ + amount, 0.0, most);
  return level_;
}

Budget::Budget(const cgrpc_budget &limits, Instant now)
    : limits_(limits),
      calls_(limits.calls_per_second, now),
      bytes_(static_cast<double>(limits.bytes_per_second), now),
      forgiven_(static_cast<double>(limits.large_message_bytes) / 60, now) {}

Budget::Verdict Budget::open_call(uint64_t alive, Instant now) {
  if (alive > most_alive * static_cast<uint64_t>(limits_.open_calls)) return Verdict::cut;
  if (limits_.calls_per_second == 0) return Verdict::within;
  if (calls_.add(1, now) <= limits_.calls_at_once) return Verdict::within;
  const double level = calls_.add(surplus_call - 1, now);
  return level <= cut_at * limits_.calls_at_once ? Verdict::refuse : Verdict::cut;
}

double Budget::count(const Traffic &traffic, Instant now) {
  const double unaccounted = static_cast<double>(traffic.received) - static_cast<double>(traffic.accounted) -
                             bytes_per_acknowledged * static_cast<double>(traffic.acknowledged);
  return bytes_.add(unaccounted - std::exchange(unaccounted_, unaccounted), now);
}

bool Budget::look(const Traffic &traffic, Instant now) {
  count(traffic, now);
  // A call that the server itself ends is not cancelled, and its message may have been on its way, too.
  if (std::exchange(large_calls_, traffic.large_calls) > 0 && traffic.large_calls == 0) forgive_message(true, now);
  const double level = bytes_.level(now);
  const uint64_t read = traffic.received - std::min(traffic.waiting, traffic.received);
  const uint64_t taken = read - std::min(std::exchange(read_, read), read);
  const uint64_t waited = std::exchange(waiting_, traffic.waiting);
  const auto at_once = static_cast<double>(limits_.bytes_at_once);
  if (level <= at_once || traffic.waiting == 0 || taken >= std::min(slow_bytes, waited)) {
    slow_looks_ = 0;
  } else if (taken > 0) {
    // A thread that took nothing at all has perhaps waited for a processor.
    ++slow_looks_;
  }
  const uint32_t large = std::min(traffic.large_calls, most_large_calls);
  const int64_t messages = large == 0 ? limits_.message_bytes : large * limits_.large_message_bytes;
  return slow_looks_ < slow_looks && taken_unaccounted(now) <= at_once + static_cast<double>(messages);
}

double Budget::taken_unaccounted(Instant now) {
  return std::max(0.0, bytes_.level(now) - static_cast<double>(waiting_));
}

double Budget::share_left(Instant now) {
  return std::max(0.0, 1 - bytes_.level(now) / static_cast<double>(limits_.bytes_at_once));
}

void Budget::forgive_message(bool is_large, Instant now) {
  const auto message = static_cast<double>(is_large ? limits_.large_message_bytes : limits_.message_bytes);
  const double amount = std::clamp(message - forgiven_.level(now), 0.0, bytes_.level(now));
  forgiven_.add(amount, now);
  bytes_.add(-amount, now);
}

Debt Budget::debt(Instant now) {
  return {calls_.level(now), std::min(bytes_.level(now), bytes_at_end * static_cast<double>(limits_.bytes_at_once))};
}

}  // namespace cgrpc
