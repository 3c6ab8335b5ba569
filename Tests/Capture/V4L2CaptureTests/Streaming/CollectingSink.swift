import CaptureCore

/// A sink that passes on what a source gives, in order.
final class CollectingSink: FrameSink {
  enum Event: Sendable {
    case frame(Frame)
    case end(CaptureError)
  }

  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() { (events, continuation) = AsyncStream.makeStream() }

  func receive(_ frame: Frame) { continuation.yield(.frame(frame)) }
  func sourceDidEnd(_ error: CaptureError) { continuation.yield(.end(error)) }
  /// Ends `events`, so that loops over `events` return.
  func finish() { continuation.finish() }

  /// The next frame; nil when the source, or `events`, ended instead.
  func nextFrame() async -> Frame? {
    for await event in events {
      if case .frame(let frame) = event { return frame }
      return nil
    }
    return nil
  }

  /// The error that the source ends with, after all frames before it; nil when `events` ended without an error.
  func end() async -> CaptureError? {
    for await event in events {
      if case .end(let error) = event { return error }
    }
    return nil
  }
}

extension StreamRequest {
  /// This request with a patience of an hour. Tests that fill buffers by hand use it: a busy machine may delay such a
  /// test for seconds, and with the usual patience the source would end as stalled.
  var neverStalling: StreamRequest {
    var request = self
    let hour: UInt64 = 3_600_000_000_000
    request.patience = StallPatience(betweenFrames: hour, firstFrame: hour)
    return request
  }
}

extension Frame {
  var bytes: [UInt8] { buffer.withUnsafeBytes { Array($0) } }
}
