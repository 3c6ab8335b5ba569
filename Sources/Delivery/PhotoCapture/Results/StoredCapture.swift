public import CaptureCore
internal import Imaging
public import SystemClocks

/// A capture as the store keeps it.
public struct StoredCapture: Sendable {
  /// The progress of a capture.
  public enum State: Sendable {
    /// The capture waits for its turn, or its photos are being captured or processed.
    case inProgress
    /// The capture has made one photo, or the photos of its bracket in their order.
    case finished([Photo])
    /// The capture ended without a photo, for the reason in the error.
    case failed(CaptureError)
  }

  /// The id of the capture.
  public var uniqueID: String
  /// The id of the session that took the photo. The session may no longer exist.
  public var sessionID: String
  /// A number that grows with each capture of the daemon, in the order of the requests.
  public var number: UInt64
  /// When the request for the capture arrived.
  public var requestTime: WallInstant
  /// The progress of the capture, and its photos or its error once it is over.
  public var state: State

  /// The memory that the photos of the capture take, in bytes; 0 for a capture without photos.
  var byteCount: Int {
    guard case .finished(let photos) = state else { return 0 }
    return photos.reduce(0) { $0 + $1.picture.buffer.count }
  }
}
