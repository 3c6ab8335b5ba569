public import CaptureCore
public import SystemClocks

/// Where the captures of photo outputs go, and where the memory of their photos comes from. Thread-safe.
public protocol PhotoDestination: AnyObject, Sendable {
  /// The memory into which photos are encoded.
  var pool: FramePool { get }

  /// Begins a capture of a session.
  ///
  /// - Parameter requestTime: when the request for the capture arrived.
  /// - Throws: `settingsIDReused` when another capture has or had the id.
  func begin(_ uniqueID: String, of sessionID: String, at requestTime: WallInstant) throws(CaptureError)

  /// Whether a capture has or had the id, so that no other capture can use it.
  func isUsed(_ uniqueID: String) -> Bool

  /// Ends a capture in progress, with its photos or with the reason why there are none.
  func finish(_ uniqueID: String, _ result: Result<[Photo], CaptureError>)

  /// Frees memory of ``pool`` for a new photo, by letting go of one photo that it has kept.
  ///
  /// - Returns: false when there is none.
  func makeRoom() -> Bool

  /// Keeps free memory of ``pool`` ready for new photos for as long as the result lives.
  func holdMemory() -> MemoryHold
}

/// The wish to keep free memory ready for photos to come. See ``PhotoDestination/holdMemory()``.
public final class MemoryHold: Sendable {
  private let end: @Sendable () -> Void

  /// Begins the hold, which ends with the last reference to this object.
  ///
  /// - Parameter end: called at the end.
  public init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

/// An event in the life of a capture.
public struct PhotoCaptureEvent: Sendable {
  /// The kinds of events, in the order in which they happen.
  ///
  /// Every capture has the first and the last kind. A capture that fails has the other kinds up to its failure, and
  /// then one `didFinishProcessingPhoto` with the error for each photo that is missing.
  public enum Kind: Sendable {
    /// The capture's turn has come, and its settings are resolved.
    case willBeginCapture
    /// The capture of the first photo begins.
    case willCapturePhoto
    /// The frame of a photo is held. The number, the stream and the input are those of the frame.
    case didCapturePhoto(sequence: UInt64, streamID: UInt64, input: String)
    /// A photo is finished, or will never be, for the reason in the error.
    case didFinishProcessingPhoto(Result<Photo, CaptureError>)
    /// The capture is over. The error is nil when all its photos were made.
    case didFinishCapture(CaptureError?)
  }

  /// The id of the capture.
  public var uniqueID: String
  /// When the event happened.
  public var time: MonotonicInstant
  /// What happened.
  public var kind: Kind
  /// The capture's settings, as far as they are resolved at the time of the event.
  public var resolved: ResolvedPhotoSettings
  /// The number of the event in the output's log, where its entry has the same number.
  public var id: UInt64

  /// A copy of the event without the photo's bytes, for the log, which keeps events for long.
  func withoutData() -> PhotoCaptureEvent {
    guard case .didFinishProcessingPhoto(.success(let photo)) = kind else { return self }
    var event = self
    event.kind = .didFinishProcessingPhoto(.success(photo.withoutData()))
    return event
  }
}

extension PhotoCaptureEvent.Kind {
  /// The frame of a photo is held.
  static func didCapturePhoto(_ frame: CapturedFrame) -> Self {
    .didCapturePhoto(sequence: frame.frame.sequence, streamID: frame.frame.streamID, input: frame.input)
  }
}
