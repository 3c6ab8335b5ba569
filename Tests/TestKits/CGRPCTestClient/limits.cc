#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <grpc/support/time.h>

#include "CGRPCTestLimits.h"
#include "budget.h"
#include "places.h"

namespace {

/// Returns the instant that is `seconds` after the beginning of the test's clock.
cgrpc::Instant instant(double seconds) {
  return cgrpc::Instant() +
         std::chrono::duration_cast<cgrpc::Instant::duration>(std::chrono::duration<double>(seconds));
}

cgrpc_budget budget_of(const ctest_budget_limits &limits) {
  return {limits.open_calls,       limits.calls_at_once, limits.calls_per_second,   limits.bytes_at_once,
          limits.bytes_per_second, limits.message_bytes, limits.large_message_bytes};
}

}  // namespace

struct ctest_budget {
  cgrpc::Budget value;
};

struct ctest_places {
  cgrpc::Places value;
  size_t used = 0;
};

ctest_budget *ctest_budget_create(ctest_budget_limits limits) {
  return new ctest_budget{cgrpc::Budget(budget_of(limits), instant(0))};
}

void ctest_budget_destroy(ctest_budget *budget) {
  delete budget;
}

int ctest_budget_open_call(ctest_budget *budget, uint64_t alive, double at) {
  return static_cast<int>(budget->value.open_call(alive, instant(at)));
}

int ctest_budget_look(ctest_budget *budget, ctest_traffic traffic, double at) {
  const cgrpc::Traffic seen{traffic.received, traffic.acknowledged, traffic.accounted, traffic.waiting,
                            traffic.large_calls};
  return static_cast<int>(budget->value.look(seen, instant(at)));
}

double ctest_budget_share_left(ctest_budget *budget, double at) {
  return budget->value.share_left(instant(at));
}

void ctest_budget_refused_message(ctest_budget *budget, double at) {
  budget->value.refused_message(instant(at));
}

void ctest_budget_forgive(ctest_budget *budget, bool is_large, double at) {
  budget->value.forgive_message(is_large, instant(at));
}

double ctest_budget_debt_calls(ctest_budget *budget, double at) {
  return budget->value.debt(instant(at)).calls;
}

double ctest_budget_debt_bytes(ctest_budget *budget, double at) {
  return budget->value.debt(instant(at)).bytes;
}

ctest_places *ctest_places_create(size_t in_all, size_t per_address, double refusal, ctest_budget_limits budget) {
  const auto pause = std::chrono::milliseconds(static_cast<int64_t>(refusal * 1000));
  return new ctest_places{cgrpc::Places({in_all, per_address, budget_of(budget), pause})};
}

double ctest_gpr_sleep(const char *name, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  std::thread sleeper([&] {
    pthread_setname_np(pthread_self(), name);
    const auto span = gpr_time_from_micros(static_cast<int64_t>(seconds * 1e6), GPR_TIMESPAN);
    gpr_sleep_until(gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), span));
  });
  sleeper.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void ctest_places_destroy(ctest_places *places) {
  delete places;
}

int ctest_places_come(ctest_places *places, int id, const char *address, const int *busy, size_t busy_count,
                      double at) {
  const auto answer = places->value.ask(address, places->used, instant(at), [&](int other) {
    return std::find(busy, busy + busy_count, other) != busy + busy_count;
  });
  if (!answer.is_admitted) return -1;
  if (answer.gives_way.has_value()) ctest_places_go(places, *answer.gives_way, 0, 0, false, at);
  places->value.add(id, address, instant(at));
  ++places->used;
  return answer.gives_way.value_or(0);
}

void ctest_places_go(ctest_places *places, int id, double calls, double bytes, bool was_cut, double at) {
  places->value.remove(id, {calls, bytes}, was_cut, instant(at));
  --places->used;
}
