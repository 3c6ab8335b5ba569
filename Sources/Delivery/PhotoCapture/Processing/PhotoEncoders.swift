internal import CaptureCore
internal import Synchronization

/// The encoders of an output's photos. One thread at a time uses each, and then it is kept for the next photo, whichever thread
/// makes that: its tables and buffers are there by then. Thread-safe.
final class PhotoEncoders: Sendable {
  /// One of them, which belongs to whoever took it.
  // Unchecked: the shelf only holds those that nobody has.
  struct Taken: @unchecked Sendable {
    let encode: EncodePhoto
  }

  /// As many as threads of an output make photos at once.
  private static let kept = 3

  private let idle = Mutex<[Taken]>([])
  private let make: MakePhotoEncoder
  private let pool: FramePool

  /// - Parameter pool: where photos get their memory.
  init(_ make: @escaping MakePhotoEncoder, pool: FramePool) {
    self.make = make
    self.pool = pool
  }

  /// The one that was used last, or a new one.
  func take() -> Taken { idle.withLock { $0.popLast() } ?? Taken(encode: make(pool)) }

  func put(_ encoder: Taken) { idle.withLock { if $0.count < Self.kept { $0.append(encoder) } } }
}
