// The floor of the comparison: the cost of StreamPreview with gRPC C++ alone. The server streams made-up frames by the
// callback API to every client, whatever session the client names. All subscribers share one message per frame. A
// subscriber that is slower than the frames gets the newest only.
//
// Usage: native_server PAYLOAD_BYTES FRAMES_PER_SECOND
//
// Prints "listening on HOST:PORT", then serves until SIGTERM or SIGINT.

#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "firstlight/v1/preview_service.grpc.pb.h"

namespace {

using firstlight::v1::PreviewFrame;
using firstlight::v1::PreviewService;

constexpr int kWidth = 320;

uint64_t MonotonicNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

// Makes a StreamPreviewResponse of two slices: everything up to the length of `data`, then the bytes, which gRPC frees.
grpc::ByteBuffer MakeMessage(uint64_t sequence, uint64_t time, size_t payload) {
  PreviewFrame frame;
  frame.set_input("native");
  frame.set_stream_id(1);
  frame.set_sequence(sequence);
  frame.set_monotonic_time_ns(time);
  frame.set_width(kWidth);
  frame.set_height(uint32_t(payload / (2 * kWidth)));
  frame.set_encoding(firstlight::v1::ENCODING_UNCOMPRESSED);
  frame.set_pixel_format("YUYV");
  frame.set_key_frame(true);
  const std::string fields = frame.SerializeAsString();

  void *pixels = malloc(payload);
  if (!pixels) abort();
  memset(pixels, int(sequence & 0xff), payload);

  std::string head;
  {
    google::protobuf::io::StringOutputStream stream(&head);
    google::protobuf::io::CodedOutputStream output(&stream);
    constexpr uint32_t kFrameTag = 2 << 3 | 2, kDataTag = 1000 << 3 | 2;
    const size_t data_head = google::protobuf::io::CodedOutputStream::VarintSize32(kDataTag) +
                             google::protobuf::io::CodedOutputStream::VarintSize64(payload);
    output.WriteTag(kFrameTag);
    output.WriteVarint64(fields.size() + data_head + payload);
    output.WriteRaw(fields.data(), int(fields.size()));
    output.WriteTag(kDataTag);
    output.WriteVarint64(payload);
  }
  const grpc::Slice slices[] = {grpc::Slice(head), grpc::Slice(pixels, payload, free)};
  return grpc::ByteBuffer(slices, 2);
}

class Subscriber;

// Hands each frame to every subscriber.
class Broadcaster {
 public:
  void Add(Subscriber *subscriber) {
    std::lock_guard<std::mutex> lock(mutex_);
    subscribers_.insert(subscriber);
  }
  void Remove(Subscriber *subscriber) {
    std::lock_guard<std::mutex> lock(mutex_);
    subscribers_.erase(subscriber);
  }
  void Publish(const grpc::ByteBuffer &message);

 private:
  std::mutex mutex_;
  std::set<Subscriber *> subscribers_;
};

class Subscriber : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit Subscriber(Broadcaster *broadcaster) : broadcaster_(broadcaster) { broadcaster_->Add(this); }

  // Sends the message, or keeps it in place of the one that waits. The lock is held while gRPC is called, so that no
  // write starts after the finish. gRPC never calls back inside. Copies of a ByteBuffer share its slices.
  void Offer(const grpc::ByteBuffer &message) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (finished_) return;
    if (writing_) {
      waiting_ = message;
      has_waiting_ = true;
      return;
    }
    writing_ = true;
    current_ = message;
    StartWrite(&current_);
  }

  void OnWriteDone(bool ok) override {
    std::lock_guard<std::mutex> lock(mutex_);
    writing_ = false;
    if (finished_) return;
    if (!ok) {
      finished_ = true;
      Finish(grpc::Status::OK);
    } else if (has_waiting_) {
      current_.Swap(&waiting_);
      waiting_.Clear();
      has_waiting_ = false;
      writing_ = true;
      StartWrite(&current_);
    }
  }

  void OnCancel() override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (finished_) return;
    finished_ = true;
    Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    broadcaster_->Remove(this);
    delete this;
  }

 private:
  Broadcaster *const broadcaster_;
  std::mutex mutex_;
  grpc::ByteBuffer current_, waiting_;
  bool writing_ = false, has_waiting_ = false, finished_ = false;
};

void Broadcaster::Publish(const grpc::ByteBuffer &message) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (Subscriber *subscriber : subscribers_) subscriber->Offer(message);
}

class Service final : public PreviewService::WithRawCallbackMethod_StreamPreview<PreviewService::Service> {
 public:
  explicit Service(Broadcaster *broadcaster) : broadcaster_(broadcaster) {}

  grpc::ServerWriteReactor<grpc::ByteBuffer> *StreamPreview(grpc::CallbackServerContext *,
                                                            const grpc::ByteBuffer *) override {
    return new Subscriber(broadcaster_);
  }

 private:
  Broadcaster *const broadcaster_;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: native_server PAYLOAD_BYTES FRAMES_PER_SECOND\n");
    return 2;
  }
  const size_t payload = strtoul(argv[1], nullptr, 10);
  const uint64_t period = 1'000'000'000 / strtoul(argv[2], nullptr, 10);

  // The signals are blocked in every thread, so that only sigwait gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Broadcaster broadcaster;
  Service service(&broadcaster);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;
  printf("listening on 127.0.0.1:%d\n", port);
  fflush(stdout);

  std::atomic<bool> stops{false};
  std::thread camera([&] {
    uint64_t next = MonotonicNanoseconds();
    for (uint64_t sequence = 0; !stops; sequence++) {
      next += period;
      const timespec until = {time_t(next / 1'000'000'000), long(next % 1'000'000'000)};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
      // A frame's time is the instant when it was due, like a camera's exposure, so waking up late is part of the
      // latency.
      broadcaster.Publish(MakeMessage(sequence, next, payload));
    }
  });
  int received;
  sigwait(&signals, &received);
  stops = true;
  camera.join();
  server->Shutdown(std::chrono::system_clock::now());
}
