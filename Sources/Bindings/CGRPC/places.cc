#include "places.h"

#include <algorithm>

namespace cgrpc {
namespace {

/// An address may have used this many times the budget of calls of one connection. A thousand viewers behind one
/// address who all leave and come back have made some thousand calls.
constexpr double calls_of_address = 10;
/// An address may have used this many times the budget of bytes of one connection. Each of the thousand viewers has
/// sent some hundred bytes that belong to no message.
constexpr double bytes_of_address = 16;
/// The number of bytes that an address's debt shrinks each second: the largest debt that is not refused, 256 KiB with
/// the default budget, is gone after 4 seconds.
constexpr double bytes_forgotten_per_second = 64 << 10;
/// The number of addresses without connections that are remembered.
constexpr size_t max_remembered = 4096;

}  // namespace

bool Places::is_refused(Address &address, Instant now) const {
  if (now < address.refused_until) return true;
  const auto &budget = limits_.budget;
  const bool counts_calls = budget.calls_per_second > 0;
  return (counts_calls && address.calls.level(now) > calls_of_address * budget.calls_at_once) ||
         address.bytes.level(now) > bytes_of_address * static_cast<double>(budget.bytes_at_once);
}

Places::Answer Places::ask(const std::string &address, size_t used, Instant now,
                           const std::function<bool(int)> &has_call) {
  const auto entry = address.empty() ? addresses_.end() : addresses_.find(address);
  if (entry != addresses_.end() && is_refused(entry->second, now)) return {false, std::nullopt};
  const bool is_address_full = entry != addresses_.end() && entry->second.connections >= limits_.per_address;
  if (!is_address_full && used < limits_.in_all) return {true, std::nullopt};
  const Place *found = nullptr;
  for (const Place &place : places_) {
    if (is_address_full && place.address != &entry->second) continue;
    if (found != nullptr && place.address->connections <= found->address->connections) continue;
    if (!has_call(place.id)) found = &place;
  }
  if (found == nullptr) return {false, std::nullopt};
  return {true, found->id};
}

void Places::add(int id, const std::string &address, Instant now) {
  if (addresses_.size() >= max_remembered + limits_.in_all) forget(now);
  const LeakyBucket calls(calls_of_address * limits_.budget.calls_per_second, now);
  const LeakyBucket bytes(bytes_forgotten_per_second, now);
  const auto entry = addresses_.try_emplace(address, Address{0, calls, bytes, Instant()}).first;
  places_.push_back({id, &entry->first, &entry->second});
  ++entry->second.connections;
}

void Places::remove(int id, const Debt &debt, bool was_cut, Instant now) {
  const auto found = std::find_if(places_.begin(), places_.end(), [id](const Place &place) { return place.id == id; });
  if (found == places_.end()) return;
  Address &address = *found->address;
  --address.connections;
  // The debt of an address is limited to twice the debt that is too much. However many connections end at once, their
  // address is refused for some seconds only.
  address.calls.add(debt.calls, now, 2 * calls_of_address * limits_.budget.calls_at_once);
  address.bytes.add(debt.bytes, now, 2 * bytes_of_address * static_cast<double>(limits_.budget.bytes_at_once));
  if (was_cut) address.refused_until = now + limits_.refusal;
  places_.erase(found);
}

void Places::forget(Instant now) {
  const bool is_crowded = addresses_.size() >= 2 * (max_remembered + limits_.in_all);
  for (auto entry = addresses_.begin(); entry != addresses_.end();) {
    Address &address = entry->second;
    const bool owes = now < address.refused_until || address.calls.level(now) > 0 || address.bytes.level(now) > 0;
    entry = address.connections == 0 && (is_crowded || !owes) ? addresses_.erase(entry) : std::next(entry);
  }
}

}  // namespace cgrpc
