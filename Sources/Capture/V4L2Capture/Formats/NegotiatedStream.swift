internal import CV4L2
internal import CaptureCore

/// The formats of one stream: what the driver delivers, how the daemon makes frames from the driver's buffers, and what
/// the daemon publishes.
struct NegotiatedStream: Hashable {
  var driver: DriverFormat
  var delivery: FrameAssembly
  var format: StreamFormat
}
