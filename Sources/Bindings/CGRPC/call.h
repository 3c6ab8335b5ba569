// One RPC, which connects gRPC's reactor on one side with the functions and callbacks of CGRPC.h on the other.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "connection.h"
#include "message.h"

struct cgrpc_call final : grpc::ServerGenericBidiReactor, cgrpc::ReadingCall {
  /// Registers the call with the budget of its connection. `connections` is null for a call over a Unix socket, which
  /// has no budget.
  cgrpc_call(grpc::GenericCallbackServerContext *context, const cgrpc_handler &handler,
             const std::optional<cgrpc_peer_credentials> &credentials, const cgrpc::Connections *connections,
             size_t max_message_bytes);

  /// Reports the call to the owner of the server through `on_call`. gRPC calls back only after it has bound the
  /// reactor, which it does after this function has returned.
  void announce();

  /// The functions from `read` to `release` implement the functions `cgrpc_call_read` to `cgrpc_call_release` of
  /// CGRPC.h, whose comments describe them.
  void read();
  void write(const cgrpc_buffer &buffer);
  void finish(const cgrpc_status &status, bool has_message, const cgrpc_slice *slices, size_t count);
  void expect_large_messages();
  void cancel();
  void release() noexcept;

  uint64_t read_under_way() const override;
  void keep() override { keepers_.fetch_add(1, std::memory_order_relaxed); }
  void give_back() override;
  bool refuse_message(uint64_t read) override;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // The facts of the call, which are fixed when the call arrives.
  const uint64_t arrival;
  const std::string peer;
  const std::optional<cgrpc_peer_credentials> credentials;
  grpc::GenericCallbackServerContext *const context;
  /// What the budget of the connection says about the call.
  cgrpc_call_budget budget = CGRPC_CALL_WITHIN;

 private:
  /// Answers the write under way when the connection is not behind any more (`Connection::is_behind`): the client has
  /// at most this message unread, and most of the message is on its way. Until then an alarm calls this function again,
  /// each time after a quarter of the time waited so far, which is between 1 and 50 ms.
  void answer_write(std::chrono::milliseconds waited);

  const cgrpc_handler &handler_;
  /// The TCP connection of the call. Empty for a Unix socket and when the connection is unknown.
  const std::weak_ptr<cgrpc::Connection> connection_;
  /// The size in bytes above which a message is refused.
  const size_t max_message_bytes_;
  /// The pointer that `on_call` returned. Null before that, and for a call that the owner refused.
  std::atomic<void *> owner_{nullptr};
  /// The number of the read under way, 0 without one, or `refused` when its message was refused.
  std::atomic<uint64_t> reading_{0};
  static constexpr uint64_t refused = UINT64_MAX;
  /// gRPC keeps the call until `OnDone`, and the connection while it refuses a message. The last one reports the end.
  std::atomic<int> keepers_{1};
  grpc::ByteBuffer read_buffer_;
  /// The message that is being written. gRPC reads it until the write ends, or until the call ends when the message is
  /// the last one.
  grpc::ByteBuffer write_buffer_;
  cgrpc::WrittenMessage written_;
  bool expects_large_messages_ = false;
  /// The alarm of `answer_write`. Present only while a write waits for its answer.
  std::optional<grpc::Alarm> alarm_;
  /// gRPC has one reference until `OnDone`, and the owner has another one.
  std::atomic<int> references_{2};

  /// Guards `alive_`. `context` is invalid after `OnDone`, but `cancel` may be called from any thread at any time.
  std::mutex cancel_mutex_;
  bool alive_ = true;
};
