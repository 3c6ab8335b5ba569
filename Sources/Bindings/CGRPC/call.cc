#include "call.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <time.h>

#include <algorithm>

namespace {

uint64_t monotonic_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

grpc::Status make_status(const cgrpc_status &status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code), cgrpc::string(status.message),
                      cgrpc::string(status.details));
}

size_t metadata_bytes(const grpc::GenericCallbackServerContext &context) {
  size_t bytes = 0;
  for (const auto &entry : context.client_metadata()) bytes += entry.first.size() + entry.second.size();
  return bytes;
}

bool is_legal_metadata(cgrpc_bytes key, cgrpc_bytes value) {
  // Keys that begin with "grpc-" belong to gRPC itself, and a key that begins with ":" would be a pseudo-header of
  // HTTP/2.
  const std::string name = cgrpc::string(key);
  if (name.empty() || name.front() == ':' || name.rfind("grpc-", 0) == 0) return false;
  const grpc_slice name_slice = grpc_slice_from_static_buffer(key.base, key.count);
  if (!grpc_header_key_is_legal(name_slice)) return false;
  if (grpc_is_binary_header(name_slice)) return true;
  return grpc_header_nonbin_value_is_legal(grpc_slice_from_static_buffer(value.base, value.count));
}

}  // namespace

cgrpc_call::cgrpc_call(grpc::GenericCallbackServerContext *context, const cgrpc_handler &handler,
                       const std::optional<cgrpc_peer_credentials> &credentials, const cgrpc::Connections *connections,
                       size_t max_message_bytes)
    : arrival(monotonic_nanoseconds()),
      peer(context->peer()),
      credentials(credentials),
      context(context),
      handler_(handler),
      connection_(connections == nullptr ? std::weak_ptr<cgrpc::Connection>() : connections->find(peer)),
      max_message_bytes_(max_message_bytes) {
  if (const auto connection = connection_.lock()) budget = connection->open_call(metadata_bytes(*context), *this);
}

void cgrpc_call::announce() {
  void *const owner = handler_.on_call(handler_.context, this);
  owner_.store(owner, std::memory_order_release);
  if (owner == nullptr) release();
}

void cgrpc_call::read() {
  const auto connection = connection_.lock();
  reading_.store(connection == nullptr ? 1 : connection->next_read(), std::memory_order_release);
  StartRead(&read_buffer_);
}

uint64_t cgrpc_call::read_under_way() const {
  const uint64_t read = reading_.load(std::memory_order_acquire);
  // The owner says what the call expects before it reads. Small messages are none that may be too large.
  if (read != 0 && !expects_large_messages_) return 0;
  return read == refused || owner_.load(std::memory_order_acquire) == nullptr ? 0 : read;
}

bool cgrpc_call::refuse_message(uint64_t read) {
  if (!reading_.compare_exchange_strong(read, refused, std::memory_order_acq_rel)) return false;
  handler_.on_read(owner_.load(std::memory_order_acquire), nullptr, CGRPC_READ_TOO_LARGE);
  return true;
}

void cgrpc_call::give_back() {
  if (keepers_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (void *const owner = owner_.load(std::memory_order_acquire)) handler_.on_done(owner);
  release();
}

void cgrpc_call::write(const cgrpc_buffer &buffer) {
  // The copy shares the buffer's slices, so no bytes are copied.
  write_buffer_ = buffer.value;
  written_ = {write_buffer_.Length(), std::nullopt};
  if (const auto connection = connection_.lock()) connection->will_write(written_.bytes);
  StartWrite(&write_buffer_);
}

void cgrpc_call::finish(const cgrpc_status &status, bool has_message, const cgrpc_slice *slices, size_t count) {
  if (!has_message) return Finish(make_status(status));
  write_buffer_ = cgrpc::make_buffer(slices, count);
  StartWriteAndFinish(&write_buffer_, grpc::WriteOptions(), make_status(status));
}

void cgrpc_call::expect_large_messages() {
  expects_large_messages_ = true;
  if (const auto connection = connection_.lock()) connection->expect_large_messages();
}

void cgrpc_call::cancel() {
  std::lock_guard<std::mutex> lock(cancel_mutex_);
  // gRPC calls `OnCancel` and `OnDone` on its own threads and never inside `TryCancel`, so this thread does not take
  // the lock twice.
  if (alive_) context->TryCancel();
}

void cgrpc_call::release() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void cgrpc_call::OnReadDone(bool ok) {
  cgrpc_message *message = nullptr;
  cgrpc_read result = ok || context->IsCancelled() ? CGRPC_READ_FAILED : CGRPC_READ_END;
  if (ok) {
    const size_t bytes = read_buffer_.Length();
    // The bytes are counted before `reading_` changes, see `Connection::refuse_message`.
    if (const auto connection = connection_.lock()) connection->did_read(bytes);
    if (bytes > max_message_bytes_) {
      result = CGRPC_READ_TOO_LARGE;
    } else {
      try {
        message = cgrpc::make_message(read_buffer_);
      } catch (...) {
        // Memory is short. The code below treats the message like one that could not be read.
      }
      if (message == nullptr) cancel();
    }
    read_buffer_.Clear();
  }
  if (message != nullptr) result = CGRPC_READ_MESSAGE;
  const bool is_answered = reading_.exchange(0, std::memory_order_acq_rel) == refused;
  void *const owner = owner_.load(std::memory_order_acquire);
  if (owner != nullptr && !is_answered) {
    handler_.on_read(owner, message, result);
  } else if (message != nullptr) {
    delete message;
  }
}

void cgrpc_call::OnWriteDone(bool ok) {
  write_buffer_.Clear();
  if (owner_ == nullptr) return;
  if (!ok) return handler_.on_write(owner_, false);
  if (const auto connection = connection_.lock()) connection->did_write(written_.bytes);
  answer_write(std::chrono::milliseconds(0));
}

void cgrpc_call::answer_write(std::chrono::milliseconds waited) {
  const auto connection = connection_.lock();
  if (connection == nullptr || context->IsCancelled() || !connection->is_behind(written_)) {
    alarm_.reset();
    return handler_.on_write(owner_, true);
  }
  // gRPC does not call back when the client's window widens or the send queue empties, so an alarm makes this function
  // ask the kernel again. The alarm is a new one, because this function may be running inside the old one.
  alarm_.emplace();
  const auto pause = std::clamp(waited / 4, std::chrono::milliseconds(1), std::chrono::milliseconds(50));
  const auto then = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(pause.count(), GPR_TIMESPAN));
  alarm_->Set(then, [this, waited = waited + pause](bool) { answer_write(waited); });
}

void cgrpc_call::OnCancel() {
  if (const auto connection = connection_.lock()) connection->did_not_read(expects_large_messages_);
  if (owner_ != nullptr) handler_.on_cancel(owner_);
}

void cgrpc_call::OnDone() {
  if (const auto connection = connection_.lock()) connection->close_call(*this, expects_large_messages_);
  {
    std::lock_guard<std::mutex> lock(cancel_mutex_);
    alive_ = false;
  }
  // The message is released now and not with the call's last reference, because lent memory must not wait until the
  // owner gives its reference back.
  write_buffer_.Clear();
  give_back();
}

// MARK: - C

cgrpc_bytes cgrpc_call_method(const cgrpc_call *call) {
  return cgrpc::bytes(call->context->method());
}

cgrpc_bytes cgrpc_call_peer(const cgrpc_call *call) {
  return cgrpc::bytes(call->peer);
}

bool cgrpc_call_peer_credentials(const cgrpc_call *call, cgrpc_peer_credentials *credentials) {
  if (!call->credentials.has_value()) return false;
  *credentials = *call->credentials;
  return true;
}

uint64_t cgrpc_call_arrival(const cgrpc_call *call) {
  return call->arrival;
}

cgrpc_call_budget cgrpc_call_get_budget(const cgrpc_call *call) {
  return call->budget;
}

uint64_t cgrpc_call_deadline(const cgrpc_call *call) {
  const gpr_timespec deadline = call->context->raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return UINT64_MAX;
  const gpr_timespec monotonic = gpr_convert_clock_type(deadline, GPR_CLOCK_MONOTONIC);
  if (monotonic.tv_sec < 0) return 0;
  const uint64_t seconds = static_cast<uint64_t>(monotonic.tv_sec);
  // gRPC allows timeouts of up to 11,000 years, which do not fit into 64 bits of nanoseconds.
  if (seconds >= UINT64_MAX / 1'000'000'000u) return UINT64_MAX;
  return seconds * 1'000'000'000u + static_cast<uint64_t>(monotonic.tv_nsec);
}

void cgrpc_call_visit_metadata(const cgrpc_call *call, void *context,
                               void (*visit)(void *context, cgrpc_bytes key, cgrpc_bytes value)) {
  for (const auto &entry : call->context->client_metadata()) {
    visit(context, cgrpc::bytes(entry.first), cgrpc::bytes(entry.second));
  }
}

void cgrpc_call_expect_large_messages(cgrpc_call *call) {
  call->expect_large_messages();
}

void cgrpc_call_read(cgrpc_call *call) {
  try {
    call->read();
  } catch (...) {
    call->cancel();
  }
}

void cgrpc_call_write(cgrpc_call *call, const cgrpc_buffer *buffer) {
  try {
    if (buffer != nullptr) return call->write(*buffer);
  } catch (...) {
    // Memory is short. The write fails as it does without a buffer.
  }
  // gRPC has not started a write, so it will not answer one. The answer that the owner expects has to come from here.
  call->cancel();
  call->OnWriteDone(false);
}

bool cgrpc_call_add_trailing_metadata(cgrpc_call *call, cgrpc_bytes key, cgrpc_bytes value) {
  try {
    // gRPC aborts the process when an entry is illegal, so the entry is checked first.
    if (!is_legal_metadata(key, value)) return false;
    call->context->AddTrailingMetadata(cgrpc::string(key), cgrpc::string(value));
    return true;
  } catch (...) {
    return false;
  }
}

void cgrpc_call_finish(cgrpc_call *call, const cgrpc_status *status, bool has_message, const cgrpc_slice *slices,
                       size_t count) {
  try {
    call->finish(*status, has_message, slices, count);
  } catch (...) {
    call->Finish(grpc::Status(grpc::StatusCode::INTERNAL, std::string()));
  }
}

void cgrpc_call_cancel(cgrpc_call *call) {
  try {
    call->cancel();
  } catch (...) {
    // The mutex could not be locked. The call then goes on until its deadline.
  }
}

void cgrpc_call_release(cgrpc_call *call) {
  call->release();
}
