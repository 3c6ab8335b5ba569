internal import CV4L2
internal import CaptureCore

/// What driver and daemon agreed on for one stream.
struct NegotiatedStream: Hashable {
  var driver: DriverFormat
  var delivery: FrameAssembly
  var format: StreamFormat
}
