// Places decides whether there is room for another connection, and which connection must end to make room. It is a
// value that knows nothing of sockets, and only the acceptor's thread uses it.
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
  /// The limits of all connections.
  struct Limits {
    /// The largest number of connections at once.
    size_t in_all;
    /// The largest number of connections at once from one address.
    size_t per_address;
    /// The budget of one connection. All ended connections of one address may together have used a multiple of it.
    cgrpc_budget budget;
    /// The time for which an address is refused after one of its connections was cut.
    std::chrono::milliseconds refusal;
  };

  explicit Places(const Limits &limits) : limits_(limits) {}

  /// The answer to whether a connection may come.
  struct Answer {
    /// False when the new connection must be refused.
    bool is_admitted;
    /// The connection that must end before the new connection may come. Empty when none must end.
    std::optional<int> gives_way;
  };

  /// Decides whether another connection from `address` may come.
  ///
  /// When there is no place left, the oldest connection without a call gives way: one of the same address if the
  /// address has all the connections it may have, otherwise one of the address with the most connections. Connections
  /// that stream therefore keep their places, and a new connection is refused for want of a place only when all others
  /// have calls. A connection is also refused when its address is refused for a while or has used too much.
  ///
  /// - address: empty when it is unknown and for a Unix socket. There may be any number of connections with an empty
  ///   address, and none of them is refused because of the debt or the cut of another connection.
  /// - used: the number of open connections, including those with an empty address.
  /// - has_call: returns whether a connection that was added has a call at the moment.
  Answer ask(const std::string &address, size_t used, Instant now, const std::function<bool(int)> &has_call);

  /// Counts a connection that was admitted. `id` names the connection until `remove`.
  void add(int id, const std::string &address, Instant now);

  /// Stops counting a connection. Does nothing when `id` is unknown. The part of its budget that the connection has
  /// used stays with its address for a while, so that a client gains little by connecting again and again.
  ///
  /// - debt: the part of the budget that the connection has used.
  /// - was_cut: whether the connection was cut, so that its address is refused for a while.
  void remove(int id, const Debt &debt, bool was_cut, Instant now);

 private:
  /// The facts that are known of an address.
  struct Address {
    /// The number of open connections.
    size_t connections = 0;
    /// The debts of the address's connections that have ended, which shrink with time.
    LeakyBucket calls;
    LeakyBucket bytes;
    /// The time until which the address is refused because a connection was cut.
    Instant refused_until;
  };
  /// An open connection.
  struct Place {
    int id;
    /// The key and the value of an entry in `addresses_`. Both stay where they are until the entry is erased.
    const std::string *name;
    Address *address;
  };

  /// Returns whether new connections of an address are refused because of what its former connections did.
  bool is_refused(Address &address, Instant now) const;
  /// Forgets the addresses that have no connection, have no debt and are not refused. When there are very many
  /// addresses, forgets all addresses without a connection.
  void forget(Instant now);

  const Limits limits_;
  std::unordered_map<std::string, Address> addresses_;
  /// The open connections, the oldest one first.
  std::vector<Place> places_;
};

}  // namespace cgrpc
