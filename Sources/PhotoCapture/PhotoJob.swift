internal import CaptureCore

/// A capture's request, and where its events go.
struct PhotoJob: Sendable {
  let uniqueID: String
  let request: PhotoRequest
  private let continuation: AsyncStream<PhotoCaptureEvent>.Continuation
  private let now: @Sendable () -> UInt64

  /// - Returns: the job and its events. A capture has five, so that none is ever lost.
  static func make(
    _ uniqueID: String, _ request: PhotoRequest, now: @escaping @Sendable () -> UInt64
  ) -> (PhotoJob, AsyncStream<PhotoCaptureEvent>) {
    let (events, continuation) = AsyncStream.makeStream(
      of: PhotoCaptureEvent.self, bufferingPolicy: .bufferingOldest(8))
    return (PhotoJob(uniqueID: uniqueID, request: request, continuation: continuation, now: now), events)
  }

  func send(_ kind: PhotoCaptureEvent.Kind) {
    continuation.yield(PhotoCaptureEvent(uniqueID: uniqueID, monotonicNanoseconds: now(), kind: kind))
  }

  /// Sends the last event. What is sent later goes nowhere.
  func finish(_ error: CaptureError?) {
    send(.didFinishCapture(error))
    continuation.finish()
  }

  /// A random UUID (version 4 of RFC 9562).
  static func makeUniqueID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
