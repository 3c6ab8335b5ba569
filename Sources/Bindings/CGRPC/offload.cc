// Keeps one connection from delaying the others by hundreds of milliseconds.
//
// gRPC 1.51 does the work of a connection in order, on the thread that began it. When a second thread adds work, the
// first hands the rest to the executor, a few threads on which the works of connections queue up. A thread of the
// executor turns to the next connection only when the one before has no work left. A hostile client sends work without
// end, so the frames for a viewer waited on such a thread until the hostile client was cut. Without the executor, the
// hostile client would hold the threads that run callbacks, and viewers would lose even more frames.
//
// The functions below let the executor have one connection at a time. The thread that began the work of another
// connection meanwhile finishes it. gRPC has no setting for this. It calls these functions through the dynamic linker,
// which takes the definitions below, in the program, before those in libgrpc.so.
#include <absl/status/status.h>
#include <dlfcn.h>

#include <atomic>
#include <cstddef>

/// A piece of work, which only gRPC looks into.
struct grpc_closure;

/// gRPC's list of pieces of work.
struct grpc_closure_list {
  grpc_closure *head;
  grpc_closure *tail;
};

namespace {

/// Whether the executor has the work of a connection.
std::atomic<bool> executor_is_taken{false};
/// Whether gRPC was told on this thread that it may hand work over, and has not done so yet.
thread_local bool may_hand_over = false;

/// Takes the executor for a connection. Returns false when another connection has it.
bool take_executor() {
  return !executor_is_taken.exchange(true);
}

/// Returns gRPC's own definition of a function that this file replaces. Both have the same symbol.
template <typename Function>
Function *definition_of_grpc(Function *replacement) {
  Dl_info symbol = {};
  dladdr(reinterpret_cast<void *>(replacement), &symbol);
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, symbol.dli_sname));
}

}  // namespace

// The names and values in this namespace are gRPC's. They make the symbols that gRPC calls.
namespace grpc_core {

class DebugLocation;
enum class ExecutorType { DEFAULT, RESOLVER };
enum class ExecutorJobType { SHORT, LONG };

class ExecCtx {
 public:
  /// Appends a piece of work to those that the calling thread does next.
  static void Run(const DebugLocation &, grpc_closure *, absl::Status);
};

class Executor {
 public:
  static bool IsThreadedDefault();
  static void Run(grpc_closure *, absl::Status, ExecutorType, ExecutorJobType);
  static size_t RunClosures(const char *, grpc_closure_list);
};

/// Returns whether the work of a connection may move to the executor. gRPC calls `Run` next if so.
bool Executor::IsThreadedDefault() {
  may_hand_over = take_executor();
  return may_hand_over;
}

/// Hands a piece of work to the executor. Work of connections is short. The calling thread does such work itself while
/// the executor has another connection. Long work, which may wait, never shares a thread of the executor with other
/// work that comes after it.
void Executor::Run(grpc_closure *closure, absl::Status error, ExecutorType type, ExecutorJobType job) {
  static auto *const run = definition_of_grpc(&Executor::Run);
  const bool is_handed_over = may_hand_over;
  may_hand_over = false;
  if (type == ExecutorType::DEFAULT && job == ExecutorJobType::SHORT && !is_handed_over && !take_executor()) {
    // gRPC's release builds have nothing in a debug location.
    static const char nowhere = 0;
    ExecCtx::Run(reinterpret_cast<const DebugLocation &>(nowhere), closure, error);
  } else {
    run(closure, error, type, job);
  }
}

/// Does pieces of work, on a thread of the executor.
size_t Executor::RunClosures(const char *executor, grpc_closure_list closures) {
  static auto *const run_closures = definition_of_grpc(&Executor::RunClosures);
  const size_t count = run_closures(executor, closures);
  executor_is_taken = false;
  return count;
}

}  // namespace grpc_core
