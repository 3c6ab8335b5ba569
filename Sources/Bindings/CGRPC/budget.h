// The budget limits what one connection may cost: its calls, and its bytes that belong to no message. It is a value
// that knows neither a clock nor a socket.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <chrono>

#include "CGRPC.h"

namespace cgrpc {

using Instant = std::chrono::steady_clock::time_point;

/// An amount that leaks away at a steady rate.
class LeakyBucket {
 public:
  LeakyBucket(double per_second, Instant now) : per_second_(per_second), at_(now) {}

  /// Adds `amount`, which may be negative, and returns the level, which is never below 0 or above `most`.
  double add(double amount, Instant now, double most = 1e300);
  /// The level.
  double level(Instant now) { return add(0, now); }

 private:
  double per_second_;
  double level_ = 0;
  Instant at_;
};

/// Traffic counts what a connection has done since the acceptor took it.
struct Traffic {
  /// Bytes that the kernel received and bytes that the peer acknowledged.
  uint64_t received = 0;
  uint64_t acknowledged = 0;
  /// Bytes that the connection's messages and calls explain.
  uint64_t accounted = 0;
  /// Bytes of `received` that gRPC has not read yet.
  uint64_t waiting = 0;
  /// So many calls expect large messages.
  uint32_t large_calls = 0;
};

/// A debt is the part of a budget that a connection has used.
struct Debt {
  double calls = 0;
  double bytes = 0;
};

class Budget {
 public:
  enum class Verdict { within, refuse, cut };

  Budget(const cgrpc_budget &limits, Instant now);

  /// The peer has opened a call: whether that is within the budget, and if not, whether to refuse the call or to cut
  /// the connection.
  ///
  /// - alive: calls that are not over, with this one. More than three times as many as the peer may have open at once
  ///   are calls that it resets before anybody can end them.
  Verdict open_call(uint64_t alive, Instant now);

  /// Counts the bytes that nothing accounts for.
  ///
  /// - Returns: how many there are now.
  double count(const Traffic &traffic, Instant now);

  /// Judges what `count` found. More than `bytes_at_once` may be messages on their way, of which gRPC reads megabytes
  /// in some milliseconds. When it has not even read what waited at the last look, several looks in a row, it is
  /// something else.
  ///
  /// - Returns: whether the connection may go on.
  bool look(const Traffic &traffic, Instant now);

  /// Bytes that nothing accounts for and that gRPC had read at the last look. What still waits in the kernel costs no
  /// memory of gRPC's, and is often the headers of calls that are about to be accounted for.
  double taken_unaccounted(Instant now);

  /// The share of `bytes_at_once` that is left, at least 0.
  double share_left(Instant now);

  /// A call has ended before a message was complete, so some of the bytes may have been a part of it: those are taken
  /// off, as much as one large message a minute.
  void forgive_message(bool is_large, Instant now);

  /// Returns what the connection has used. It returns at most `bytes_at_end` times `bytes_at_once`, because the rest
  /// may be half a message.
  Debt debt(Instant now);

 private:
  const cgrpc_budget limits_;
  LeakyBucket calls_;
  LeakyBucket bytes_;
  LeakyBucket forgiven_;
  /// At the last look.
  double unaccounted_ = 0;
  uint64_t read_ = 0;
  uint64_t waiting_ = 0;
  uint32_t large_calls_ = 0;
  /// Looks in a row at which gRPC was slow.
  int slow_looks_ = 0;
};

/// Returns how many received bytes a message of `size` bytes explains: the message, its prefix and its HTTP/2 frames.
constexpr uint64_t bytes_of_message(uint64_t size) {
  return size + size / 1024 + 32;
}

/// A message to the peer explains so many received bytes, because some clients answer each with window updates and a
/// ping.
constexpr uint64_t bytes_of_written_message = 64;

/// Returns how many received bytes a call explains: its metadata, the rest of its headers, and its end.
constexpr uint64_t bytes_of_call(uint64_t metadata) {
  return std::max<uint64_t>(2048, metadata + 512);
}

}  // namespace cgrpc
