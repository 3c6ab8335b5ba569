// One RPC: gRPC's reactor on one side, the C functions on the other.
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

struct cgrpc_call final : grpc::ServerGenericBidiReactor {
  cgrpc_call(grpc::GenericCallbackServerContext *context, const cgrpc_handler &handler,
             const std::optional<cgrpc_peer_credentials> &credentials, const cgrpc::Connections *connections);

  /// Tells the owner of the server. Nothing is called back before gRPC has bound the reactor, which is after this.
  void announce();

  void read() { StartRead(&read_buffer_); }
  void write(const cgrpc_buffer &buffer);
  void finish(const cgrpc_status &status, bool has_message, const cgrpc_slice *slices, size_t count);
  void expect_large_messages();
  void cancel();
  void release() noexcept;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Facts, fixed at arrival.
  const uint64_t arrival;
  const std::string peer;
  const std::optional<cgrpc_peer_credentials> credentials;
  grpc::GenericCallbackServerContext *const context;
  /// The connection has opened more calls than its budget allows.
  bool is_surplus = false;

 private:
  /// Answers a write once the client has no more than that message unread and its kernel most of it; looks again after
  /// a quarter of the time waited so far.
  void answer_write(std::chrono::milliseconds waited);

  const cgrpc_handler &handler_;
  const std::weak_ptr<cgrpc::Connection> connection_;
  /// What `on_call` returned.
  void *owner_ = nullptr;
  grpc::ByteBuffer read_buffer_;
  /// gRPC reads it until the write is done, or the call if it is the last one.
  grpc::ByteBuffer write_buffer_;
  cgrpc::WrittenMessage written_;
  bool expects_large_messages_ = false;
  /// There while a write waits for its answer.
  std::optional<grpc::Alarm> alarm_;
  /// One of gRPC until OnDone, one of the owner.
  std::atomic<int> references_{2};

  /// `context` dies with OnDone, but `cancel` may come from any thread at any time.
  std::mutex cancel_mutex_;
  bool alive_ = true;
};
