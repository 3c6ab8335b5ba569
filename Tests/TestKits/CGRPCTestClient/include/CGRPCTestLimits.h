// The budgets and the places of connections, for the tests of the transport. Every `at` is a time in seconds since the
// beginning of the test's clock.
#ifndef CGRPC_TEST_LIMITS_H
#define CGRPC_TEST_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The budget of one connection. `ctest_budget_create` makes it, and `ctest_budget_destroy` frees it.
typedef struct ctest_budget ctest_budget;

/// The limits of a budget, which are the fields of `cgrpc_budget`.
typedef struct ctest_budget_limits {
  int32_t open_calls;
  int32_t calls_at_once;
  int32_t calls_per_second;
  int64_t bytes_at_once;
  int64_t bytes_per_second;
  int64_t message_bytes;
  int64_t large_message_bytes;
} ctest_budget_limits;

/// The counters of a connection since it was accepted, which are the fields of `cgrpc::Traffic`, in bytes and in calls.
typedef struct ctest_traffic {
  uint64_t received;
  uint64_t acknowledged;
  uint64_t accounted;
  uint64_t waiting;
  uint32_t large_calls;
} ctest_traffic;

/// Makes an unused budget at the time 0.
///
/// - Returns: owned (`ctest_budget_destroy`).
ctest_budget *_Nonnull ctest_budget_create(ctest_budget_limits limits);
/// Frees the budget.
void ctest_budget_destroy(ctest_budget *_Nonnull budget);
/// Counts a call that the client opens while `alive` calls, including this one, are not over.
///
/// - Returns: 0 when the call is within the budget, 1 when it belongs to a burst, 2 when it must be refused, 3 when the
///   connection must be cut.
int ctest_budget_open_call(ctest_budget *_Nonnull budget, uint64_t alive, double at);
/// Looks at the connection's counters.
///
/// - Returns: 0 when the connection may go on, 1 when its message must be refused, 2 when it must be cut.
int ctest_budget_look(ctest_budget *_Nonnull budget, ctest_traffic traffic, double at);
/// Returns the part of the budget of bytes that is left, from 0 to 1.
double ctest_budget_share_left(ctest_budget *_Nonnull budget, double at);
/// The server has refused the message that is under way.
void ctest_budget_refused_message(ctest_budget *_Nonnull budget, double at);
/// Forgives the bytes of an incomplete message.
void ctest_budget_forgive(ctest_budget *_Nonnull budget, bool is_large, double at);
/// Returns the number of calls of the budget that are used.
double ctest_budget_debt_calls(ctest_budget *_Nonnull budget, double at);
/// Returns the number of bytes of the budget that are used.
double ctest_budget_debt_bytes(ctest_budget *_Nonnull budget, double at);

/// Starts a thread with the name `name`, which calls `gpr_sleep_until` to sleep for `seconds` seconds, and waits for
/// the thread.
///
/// - Returns: the number of seconds that passed.
double ctest_gpr_sleep(const char *_Nonnull name, double seconds);

/// The places of connections. `ctest_places_create` makes them, and `ctest_places_destroy` frees them.
typedef struct ctest_places ctest_places;

/// Makes places for `in_all` connections, of which `per_address` may be of one address. `refusal` is the time in
/// seconds for which an address is refused after a cut.
///
/// - Returns: owned (`ctest_places_destroy`).
ctest_places *_Nonnull ctest_places_create(size_t in_all, size_t per_address, double refusal,
                                           ctest_budget_limits budget);
/// Frees the places.
void ctest_places_destroy(ctest_places *_Nonnull places);
/// Asks for a place for a connection from `address`, and takes the place.
///
/// - id: the name of the connection, a positive number.
/// - address: borrowed until the function returns, terminated.
/// - busy, busy_count: the connections that have a call. Borrowed until the function returns.
/// - Returns: -1 when the connection is refused, 0 when there is room, otherwise the connection that gives way, which
///   has left its place by then.
int ctest_places_come(ctest_places *_Nonnull places, int id, const char *_Nonnull address, const int *_Nullable busy,
                      size_t busy_count, double at);
/// Counts the end of a connection that has used `calls` calls and `bytes` bytes of its budget.
void ctest_places_go(ctest_places *_Nonnull places, int id, double calls, double bytes, bool was_cut, double at);

#ifdef __cplusplus
}
#endif

#endif
