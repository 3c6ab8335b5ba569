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
