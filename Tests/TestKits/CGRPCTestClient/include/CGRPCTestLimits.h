// The values that decide over connections, for the transport's tests. Times are seconds since any one instant.
#ifndef CGRPC_TEST_LIMITS_H
#define CGRPC_TEST_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a connection may cost. Given back by `ctest_budget_destroy`.
typedef struct ctest_budget ctest_budget;

/// The fields of `cgrpc_budget`.
typedef struct ctest_budget_limits {
  int32_t open_calls;
  int32_t calls_at_once;
  int32_t calls_per_second;
  int64_t bytes_at_once;
  int64_t bytes_per_second;
  int64_t message_bytes;
  int64_t large_message_bytes;
} ctest_budget_limits;

/// What a connection has done since it was accepted.
typedef struct ctest_traffic {
  uint64_t received;
  uint64_t acknowledged;
  uint64_t accounted;
  uint64_t waiting;
  uint32_t large_calls;
} ctest_traffic;

ctest_budget *_Nonnull ctest_budget_create(ctest_budget_limits limits);
void ctest_budget_destroy(ctest_budget *_Nonnull budget);
/// - Returns: 0 within the budget, 1 to refuse the call, 2 to cut the connection.
int ctest_budget_open_call(ctest_budget *_Nonnull budget, uint64_t alive, double at);
/// - Returns: the share that is left, negative when the connection is to be cut.
double ctest_budget_look(ctest_budget *_Nonnull budget, ctest_traffic traffic, double at);
void ctest_budget_forgive(ctest_budget *_Nonnull budget, bool is_large, double at);
double ctest_budget_debt_calls(ctest_budget *_Nonnull budget, double at);
double ctest_budget_debt_bytes(ctest_budget *_Nonnull budget, double at);

/// Who has a place. Given back by `ctest_places_destroy`.
typedef struct ctest_places ctest_places;

ctest_places *_Nonnull ctest_places_create(size_t in_all, size_t per_address, double refusal,
                                           ctest_budget_limits budget);
void ctest_places_destroy(ctest_places *_Nonnull places);
/// Asks for a place for a connection from `address` (borrowed, terminated), and takes it.
///
/// - id: names the connection; positive.
/// - busy, busy_count: the connections that have a call.
/// - Returns: -1 when it is refused, 0 when there is room, else the connection that gives way, which has left its
/// place.
int ctest_places_come(ctest_places *_Nonnull places, int id, const char *_Nonnull address, const int *_Nullable busy,
                      size_t busy_count, double at);
/// A connection is gone that has used so much.
void ctest_places_go(ctest_places *_Nonnull places, int id, double calls, double bytes, bool was_cut, double at);

#ifdef __cplusplus
}
#endif

#endif
