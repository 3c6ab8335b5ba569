// Attaches many subscribers to StreamPreview, each over a TCP connection of its own, as separate clients would.
// Measures the age of each frame on arrival: CLOCK_MONOTONIC now minus the frame's time, so it works on the same
// machine only.
//
// Usage: load_client ADDRESS SESSION NV12|YUYV|JPEG FRAMES_PER_SECOND SUBSCRIBERS WARM_UP_SECONDS SECONDS
//
// Prints "first N" when every subscriber has had a frame, where N is the time of the last of these frames in
// nanoseconds of CLOCK_MONOTONIC. Prints "measuring" when the warm-up is over, and one line of JSON at the end of the
// window. Then detaches. Exits 1 when a subscriber gets nothing for ten seconds at the start, or when a stream ends.
//
// "frames" and "fewest" count the frames that arrived in the window. The quantiles are of the frames that were due in
// the window, without its last half second. A frame that never came, because it was dropped, superseded or never made,
// is infinitely late ("Infinity"). So a server does not gain by leaving slow frames out.

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "firstlight/v1/preview_service.pb.h"

namespace {

using firstlight::v1::StreamPreviewRequest;
using google::protobuf::internal::WireFormatLite;

uint64_t MonotonicNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

// The needed fields of a message. They are parsed by hand, because a full parse would copy the picture for every
// subscriber.
struct Frame {
  uint64_t time = 0;
  uint32_t payload = 0;

  // Returns whether `message` holds a frame. Otherwise the message is a status or damaged.
  bool Read(grpc::ByteBuffer *message) {
    constexpr int kFrame = 2, kTime = 5, kData = 1000;
    grpc::ProtoBufferReader reader(message);
    google::protobuf::io::CodedInputStream input(&reader);
    while (const uint32_t tag = input.ReadTag()) {
      const int field = WireFormatLite::GetTagFieldNumber(tag);
      if (field == kFrame) {
        uint32_t length;
        if (!input.ReadVarint32(&length)) return false;  // The loop goes on with the fields inside.
      } else if (field == kTime) {
        if (!input.ReadVarint64(&time)) return false;
      } else if (field == kData) {
        return input.ReadVarint32(&payload) && time != 0;
      } else if (!WireFormatLite::SkipField(&input, tag)) {
        return false;
      }
    }
    return false;
  }
};

// A frame that was due at the end of the window may still come. Later than this it counts as one that never came.
constexpr uint64_t kGraceNanoseconds = 500'000'000;

struct Arrival {
  uint64_t due, latency;
};

std::atomic<bool> measuring{false};

// The measurements of all subscribers together: frames, bytes, and latencies in milliseconds.
struct Measured {
  size_t frames = 0, fewest = SIZE_MAX;
  uint64_t bytes = 0;
  std::vector<double> milliseconds;

  // The quantile as JSON for Python.
  std::string Quantile(double quantile) const {
    if (milliseconds.empty()) return "0";
    // The nearest rank is a value that really occurred.
    const double value = milliseconds[size_t(std::ceil(double(milliseconds.size()) * quantile)) - 1];
    return std::isinf(value) ? "Infinity" : std::to_string(value);
  }
};

class Subscriber : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Subscriber(const std::string &address, const grpc::ByteBuffer &request) : request_(request) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    stub_ = std::make_unique<Stub>(channel_);
    stub_->PrepareBidiStreamingCall(&context_, "/firstlight.v1.PreviewService/StreamPreview", {}, this);
    StartWriteLast(&request_, grpc::WriteOptions());
    StartRead(&message_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    const uint64_t now = MonotonicNanoseconds();
    Frame frame;
    if (frame.Read(&message_)) {
      if (!has_frame_) {
        has_frame_ = true;
        first_at_ = now;
        first_frame_.set_value(true);
      }
      if (measuring) {
        std::lock_guard<std::mutex> lock(mutex_);
        arrivals_.push_back({frame.time, now - frame.time});
        bytes_ += frame.payload;
      }
    }
    StartRead(&message_);
  }

  void OnDone(const grpc::Status &status) override {
    if (!has_frame_) first_frame_.set_value(false);
    ended_early_ = !cancelled_;
    if (ended_early_) fprintf(stderr, "stream ended: %d %s\n", status.error_code(), status.error_message().c_str());
    done_.set_value();
  }

  // Whether a frame arrives within ten seconds.
  bool WaitForFrame() {
    auto future = first_frame_.get_future();
    return future.wait_for(std::chrono::seconds(10)) == std::future_status::ready && future.get();
  }

  // The time of the first frame in nanoseconds of CLOCK_MONOTONIC. Valid after WaitForFrame has returned true.
  uint64_t first_at() const { return first_at_; }

  // Adds the measurements of this subscriber. The latencies are those of the frames due from `begin` to `end`, of which
  // there were `due`.
  void Take(uint64_t begin, uint64_t end, size_t due, Measured *measured) {
    std::lock_guard<std::mutex> lock(mutex_);
    measured->frames += arrivals_.size();
    measured->fewest = std::min(measured->fewest, arrivals_.size());
    measured->bytes += bytes_;
    for (const Arrival &arrival : arrivals_) {
      if (arrival.due < begin || arrival.due >= end) continue;
      measured->milliseconds.push_back(double(arrival.latency) / 1e6);
      if (due > 0) due--;
    }
    measured->milliseconds.insert(measured->milliseconds.end(), due, INFINITY);
  }

  // Ends the stream. Returns false when the stream had ended by itself.
  bool Cancel() {
    cancelled_ = true;
    context_.TryCancel();
    done_.get_future().wait();
    return !ended_early_;
  }

 private:
  using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Stub> stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_, message_;
  std::promise<bool> first_frame_;
  std::promise<void> done_;
  bool has_frame_ = false;
  uint64_t first_at_ = 0;
  std::atomic<bool> cancelled_{false}, ended_early_{false};
  std::mutex mutex_;
  std::vector<Arrival> arrivals_;
  uint64_t bytes_ = 0;
};

grpc::ByteBuffer MakeRequest(const std::string &session, const std::string &encoding) {
  StreamPreviewRequest request;
  request.set_session(session);
  // The word is an encoding, or the pixel format of uncompressed pictures.
  firstlight::v1::Encoding value;
  if (firstlight::v1::Encoding_Parse("ENCODING_" + encoding, &value)) {
    request.set_encoding(value);
  } else if (encoding == "NV12" || encoding == "YUYV") {
    request.set_pixel_format(encoding);
  } else {
    fprintf(stderr, "no encoding %s\n", encoding.c_str());
    _Exit(2);
  }
  grpc::Slice slice(request.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 8) {
    fprintf(stderr,
            "usage: load_client ADDRESS SESSION ENCODING FRAMES_PER_SECOND SUBSCRIBERS WARM_UP_SECONDS SECONDS\n");
    return 2;
  }
  const double rate = atof(argv[4]);
  const int count = atoi(argv[5]);
  const grpc::ByteBuffer request = MakeRequest(argv[2], argv[3]);
  std::vector<std::unique_ptr<Subscriber>> subscribers;
  for (int i = 0; i < count; i++) subscribers.push_back(std::make_unique<Subscriber>(argv[1], request));
  uint64_t first_at = 0;
  for (auto &subscriber : subscribers) {
    if (!subscriber->WaitForFrame()) {
      fprintf(stderr, "a subscriber got no frame\n");
      _Exit(1);  // The other subscribers still run, so the process exits without destructors.
    }
    first_at = std::max(first_at, subscriber->first_at());
  }
  printf("first %llu\n", static_cast<unsigned long long>(first_at));
  fflush(stdout);
  std::this_thread::sleep_for(std::chrono::duration<double>(atof(argv[6])));
  printf("measuring\n");
  fflush(stdout);
  measuring = true;
  const uint64_t begin = MonotonicNanoseconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(atof(argv[7])));
  const uint64_t end = std::max(begin, MonotonicNanoseconds() - kGraceNanoseconds);
  measuring = false;

  Measured measured;
  // At least so many frames are due, wherever the window begins.
  const size_t due = size_t(rate * double(end - begin) / 1e9);
  for (auto &subscriber : subscribers) subscriber->Take(begin, end, due, &measured);
  std::sort(measured.milliseconds.begin(), measured.milliseconds.end());
  printf("{\"frames\": %zu, \"fewest\": %zu, \"payload\": %.0f, \"p50_ms\": %s, \"p99_ms\": %s}\n", measured.frames,
         measured.fewest, measured.frames == 0 ? 0 : double(measured.bytes) / double(measured.frames),
         measured.Quantile(0.5).c_str(), measured.Quantile(0.99).c_str());
  fflush(stdout);

  bool all_lived = true;
  for (auto &subscriber : subscribers) all_lived &= subscriber->Cancel();
  return all_lived ? 0 : 1;
}
