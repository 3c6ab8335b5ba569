// A budget limits how many calls one connection may open, and how many bytes that belong to no message it may send. A
// budget is a value: its callers pass the time and the counters of the socket.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <chrono>

#include "CGRPC.h"

namespace cgrpc {

using Instant = std::chrono::steady_clock::time_point;

/// An amount that grows by additions and shrinks at a steady rate.
class LeakyBucket {
 public:
  /// Makes an empty bucket. `per_second` is the rate at which the amount shrinks.
  LeakyBucket(double per_second, Instant now) : per_second_(per_second), at_(now) {}

  /// Adds `amount`, which may be negative, and returns the new level. The level stays between 0 and `most`.
  double add(double amount, Instant now, double most = 1e300);
  /// Returns the level at the time `now`.
  double level(Instant now) { return add(0, now); }

 private:
  double per_second_;
  double level_ = 0;
  Instant at_;
};

/// The counters of a connection since the acceptor accepted it.
struct Traffic {
  /// The bytes that this machine's kernel has received from the client.
  uint64_t received = 0;
  /// The bytes that the client's kernel has acknowledged.
  uint64_t acknowledged = 0;
  /// The bytes that the connection's messages and calls account for.
  uint64_t accounted = 0;
  /// The part of `received` that gRPC has not read yet and that waits in the kernel.
  uint64_t waiting = 0;
  /// The number of calls that expect large messages.
  uint32_t large_calls = 0;
};

/// The part of a budget that a connection has used, in calls and in bytes.
struct Debt {
  double calls = 0;
  double bytes = 0;
};

/// The budget of one connection.
class Budget {
 public:
  /// Whether a call is within the budget, belongs to a burst that is within the budget, must be refused, or is a reason
  /// to cut the connection.
  enum class Verdict { within, burst, refuse, cut };

  /// Whether a connection may go on, whether the message that it is sending must be refused because it is larger than
  /// any message may be, or whether the connection must be cut.
  enum class State { fine, message_too_large, hostile };

  /// Makes an unused budget.
  Budget(const cgrpc_budget &limits, Instant now);

  /// The client has opened a call. Returns the verdict on it.
  ///
  /// - alive: the number of calls that are not over, including this one. When a connection has more than twice as
  ///   many as it may have open at once, its client resets calls before the server can end them.
  Verdict open_call(uint64_t alive, Instant now);

  /// Adds the bytes to the budget that have become unaccounted since the last call, according to `traffic`.
  ///
  /// - Returns: the level of unaccounted bytes after that.
  double count(const Traffic &traffic, Instant now);

  /// Does what `count` does, and judges whether the connection may go on. More unaccounted bytes than `bytes_at_once`
  /// are allowed as long as they may be incomplete messages. gRPC reads megabytes of a message within milliseconds.
  /// When gRPC is slower at several looks in a row, and did not even read the bytes that waited at the look before, the
  /// bytes are no message.
  ///
  /// - Returns: the state of the connection.
  State look(const Traffic &traffic, Instant now);

  /// Returns whether more bytes are under way than the connection's messages may have, as of the last `count` or
  /// `look`.
  bool has_too_much_under_way(Instant now);

  /// Forgives all unaccounted bytes, because the server has refused the message that they belong to. The client may
  /// have sent more of this message before it learns of that, so for the next two seconds further bytes are forgiven,
  /// too: as many as four large messages have.
  void refused_message(Instant now);

  /// Returns whether the connection had calls that expect large messages at the newest look, or shortly before it.
  bool expects_large_messages() const { return large_calls_ > 0; }

  /// Returns whether the rest of a refused message may come.
  bool awaits_rest(Instant now) const { return now < rest_until_; }

  /// Returns the number of unaccounted bytes that gRPC had read at the last look. The bytes that still wait in the
  /// kernel do not count. They take no memory of gRPC, and often are the headers of calls that will be accounted for in
  /// a moment. What was forgiven as the rest of a message does not count.
  double taken_unaccounted(Instant now);

  /// Returns the bytes that were forgiven as the rest of the newest refused message, while more of it may come.
  double forgiven_rest(Instant now) const { return awaits_rest(now) ? forgiven_rest_ : 0; }

  /// Returns the part of `bytes_at_once` that is left, from 0 to 1.
  double share_left(Instant now);

  /// Forgives the unaccounted bytes of a message that was incomplete when its call ended. The bytes that had come may
  /// have been a part of this message. All in all, at most the bytes of one large message are forgiven per minute.
  void forgive_message(bool is_large, Instant now);

  /// Returns the part of the budget that the connection has used. The bytes are limited to `bytes_at_end` times
  /// `bytes_at_once`, because the bytes beyond may be half a message.
  Debt debt(Instant now);

 private:
  const cgrpc_budget limits_;
  LeakyBucket calls_;
  /// The bytes that were forgiven.
  LeakyBucket bytes_;
  LeakyBucket forgiven_;
  /// The values that `count` and `look` found last: unaccounted bytes, bytes that gRPC had read, bytes that waited in
  /// the kernel, and calls that expect large messages.
  double unaccounted_ = 0;
  uint64_t read_ = 0;
  uint64_t waiting_ = 0;
  uint32_t large_calls_ = 0;
  /// The number of looks in a row at which gRPC was slow.
  int slow_looks_ = 0;
  /// The bytes that may still come of refused messages, those of them that came, and the time until which they may.
  double rest_ = 0;
  double forgiven_rest_ = 0;
  Instant rest_until_;
};

/// Returns the number of received bytes that a message of `size` bytes accounts for: the message itself, its prefix and
/// its HTTP/2 frames.
constexpr uint64_t bytes_of_message(uint64_t size) {
  return size + size / 1024 + 32;
}

/// The number of received bytes that a message to the client accounts for. Some clients answer each message with window
/// updates and a ping.
constexpr uint64_t bytes_of_written_message = 64;

/// Returns the number of received bytes that a call accounts for: its metadata, its other headers, and its end.
constexpr uint64_t bytes_of_call(uint64_t metadata) {
  return std::max<uint64_t>(2048, metadata + 512);
}

}  // namespace cgrpc
