// Places decides which connections there is room for. It is a value that knows no sockets, and only the acceptor's
// thread uses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "budget.h"

namespace cgrpc {

class Places {
 public:
  struct Limits {
    /// Connections at once.
    size_t in_all;
    size_t per_address;
    /// Of one connection. Those of one address that have ended may together have used some times as much.
    cgrpc_budget budget;
    /// How long an address is refused after one of its connections was cut.
    std::chrono::milliseconds refusal;
  };

  explicit Places(const Limits &limits) : limits_(limits) {}

  struct Answer {
    bool is_admitted;
    /// The connection that must end first.
    std::optional<int> gives_way;
  };

  /// Whether another connection from `address` may come.
  ///
  /// When there is no place left, the oldest connection without a call gives way, of this address if that has all it
  /// may have, else of the address with the most connections. So those that stream keep their places, and a newcomer is
  /// refused only when all the others have calls.
  ///
  /// - address: empty when unknown, or of a Unix socket; there may be any number of those, and none is refused
  ///   for what its address did.
  /// - used: connections that are open, those with an unknown address too.
  /// - has_call: whether a connection that was added has a call at the moment.
  Answer ask(const std::string &address, size_t used, Instant now, const std::function<bool(int)> &has_call);

  /// A connection is there. `id` names it until `remove`.
  void add(int id, const std::string &address, Instant now);

  /// A connection is gone, if it was added. What it has used of its budget stays with its address, so
  /// that connecting again and again brings little.
  void remove(int id, const Debt &debt, bool was_cut, Instant now);

 private:
  struct Address {
    size_t connections = 0;
    /// Of the connections that have ended.
    LeakyBucket calls;
    LeakyBucket bytes;
    Instant refused_until;
  };
  struct Place {
    int id;
    /// An entry of `addresses_`, which stay where they are.
    const std::string *name;
    Address *address;
  };

  bool is_refused(Address &address, Instant now) const;
  /// Forgets addresses without a connection that would not be refused.
  void forget(Instant now);

  const Limits limits_;
  std::unordered_map<std::string, Address> addresses_;
  /// The oldest first.
  std::vector<Place> places_;
};

}  // namespace cgrpc
