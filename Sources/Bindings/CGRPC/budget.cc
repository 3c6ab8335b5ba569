#include "budget.h"

#include <algorithm>
#include <utility>

namespace cgrpc {
namespace {

/// A call belongs to a burst when the client has opened more than this part of `calls_at_once` at once. Calls that come
/// steadily, such as the acknowledgements of a viewer, never belong to one.
constexpr double burst_at = 0.05;
/// The number of received bytes that each acknowledged byte accounts for. A reader answers pings, and most readers send
/// two window updates of 13 bytes, one for the stream and one for the connection, for each 32 KiB that they take. One
/// byte in 256 is five times as much.
constexpr double bytes_per_acknowledged = 1.0 / 256;
/// A connection is cut when its calls that are not over exceed the calls it may have open by this factor. The factor is
/// more than 1 because, on a busy machine, a call that is over for the client may not be over for the server yet.
constexpr uint64_t most_alive = 2;
/// A surplus call counts as this part of a call. The server answers it with an error, which costs less than serving the
/// call and tells the developer of a client that loops by mistake what is wrong. Together with `cut_at`, a connection
/// is cut when it opens more than twice as many calls per second as the budget allows, or twice as many at once.
constexpr double surplus_call = 0.5;
/// The factor of `calls_at_once` above which a connection is cut.
constexpr double cut_at = 1.5;
/// gRPC is slow at a look when it has read fewer bytes than this since the look before. Looks at a suspicious
/// connection are 2 ms apart. In this time gRPC reads a megabyte of a message, but only 4 kB of pings.
constexpr uint64_t slow_bytes = 32 << 10;
/// The number of slow looks in a row at which a connection is cut.
constexpr int slow_looks = 4;
/// The largest number of large messages that may be incomplete at once on a connection.
constexpr uint32_t most_large_calls = 4;
/// The time after the refusal of a message in which the client may still send more of it.
constexpr auto rest_time = std::chrono::seconds(2);
/// The limit of a connection's debt in bytes, as a factor of `bytes_at_once`. `Budget::debt` explains the limit.
constexpr double bytes_at_end = 16;

}  // namespace

double LeakyBucket::add(double amount, Instant now, double most) {
  const std::chrono::duration<double> passed = now - at_;
  // The time may be earlier than `at_`, because two threads may come here in another order than they read the clock.
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
  const double opened = calls_.add(1, now);
  if (opened <= burst_at * limits_.calls_at_once) return Verdict::within;
  if (opened <= limits_.calls_at_once) return Verdict::burst;
  const double level = calls_.add(surplus_call - 1, now);
  return level <= cut_at * limits_.calls_at_once ? Verdict::refuse : Verdict::cut;
}

double Budget::count(const Traffic &traffic, Instant now) {
  const double unaccounted = static_cast<double>(traffic.received) - static_cast<double>(traffic.accounted) -
                             bytes_per_acknowledged * static_cast<double>(traffic.acknowledged);
  return bytes_.add(unaccounted - std::exchange(unaccounted_, unaccounted), now);
}

Budget::State Budget::look(const Traffic &traffic, Instant now) {
  count(traffic, now);
  // A call that the server itself ends is not cancelled, so `forgive_message` was not called for it, although its
  // message may have been incomplete. The bytes are forgiven when the last call with large messages has ended.
  if (std::exchange(large_calls_, traffic.large_calls) > 0 && traffic.large_calls == 0) forgive_message(true, now);
  if (awaits_rest(now)) {
    const double amount = std::min(bytes_.level(now), rest_);
    rest_ -= amount;
    forgiven_rest_ += amount;
    bytes_.add(-amount, now);
  } else {
    forgiven_rest_ = 0;
  }
  // gRPC must read the forgiven bytes as fast as a message; otherwise they are none.
  const double level = bytes_.level(now) + forgiven_rest_;
  const uint64_t read = traffic.received - std::min(traffic.waiting, traffic.received);
  const uint64_t taken = read - std::min(std::exchange(read_, read), read);
  const uint64_t waited = std::exchange(waiting_, traffic.waiting);
  const auto at_once = static_cast<double>(limits_.bytes_at_once);
  if (level <= at_once || traffic.waiting == 0 || taken >= std::min(slow_bytes, waited)) {
    slow_looks_ = 0;
  } else if (taken > 0) {
    // Only a look at which gRPC read some bytes counts as slow. When gRPC read nothing at all, its thread may have
    // waited for a processor.
    ++slow_looks_;
  }
  if (slow_looks_ >= slow_looks) return State::hostile;
  if (!has_too_much_under_way(now)) return State::fine;
  // Only a call that expects large messages has an honest reason for so many bytes. On other connections they may be
  // headers, for which gRPC takes forty times as much memory.
  return expects_large_messages() ? State::message_too_large : State::hostile;
}

bool Budget::has_too_much_under_way(Instant now) {
  const uint32_t large = std::min(large_calls_, most_large_calls);
  const int64_t messages = large == 0 ? limits_.message_bytes : large * limits_.large_message_bytes;
  return taken_unaccounted(now) > static_cast<double>(limits_.bytes_at_once + messages);
}

void Budget::refused_message(Instant now) {
  bytes_.add(-bytes_.level(now), now);
  rest_ = static_cast<double>(most_large_calls * limits_.large_message_bytes);
  forgiven_rest_ = 0;
  rest_until_ = now + rest_time;
}

double Budget::taken_unaccounted(Instant now) {
  return std::max(0.0, bytes_.level(now) - static_cast<double>(waiting_));
}

double Budget::share_left(Instant now) {
  // While the rest of a refused message may come, the connection is looked at as often as possible.
  if (awaits_rest(now)) return 0;
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
