import CaptureCore

/// Hands on what a source gives, in order.
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
  /// Lets readers of `events` come to an end.
  func finish() { continuation.finish() }

  /// The next frame. Nil when the source ended instead.
  func nextFrame() async -> Frame? {
    for await event in events {
      if case .frame(let frame) = event { return frame }
      return nil
    }
    return nil
  }

  /// The error the source ends with, frames passed over.
  func end() async -> CaptureError? {
    for await event in events {
      if case .end(let error) = event { return error }
    }
    return nil
  }
}

extension StreamRequest {
  /// This request with an hour of patience. Tests that fill buffers by hand use it, because a busy machine may hold them
  /// up for seconds, and the source would then end as stalled.
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
