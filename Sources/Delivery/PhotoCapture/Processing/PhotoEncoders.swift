internal import CaptureCore
internal import Locking

/// The encoders of an output's photos. Thread-safe.
///
/// A photo thread takes an encoder for one photo and then puts it back. The next photo on any thread uses the same
/// encoder, whose tables and buffers exist by then.
final class PhotoEncoders: Sendable {
  /// An encoder that a thread has taken and that no other thread uses.
  // Unchecked, because the array contains only encoders that no thread uses.
  struct Taken: @unchecked Sendable {
    let encode: EncodePhoto
  }

  /// The number of idle encoders that are kept: as many as an output makes photos at once.
  private static let kept = 3

  private let idle = Locked<[Taken]>([])
  private let make: MakePhotoEncoder
  private let pool: FramePool

  /// - Parameter pool: the memory of the encoded photos.
  init(_ make: @escaping MakePhotoEncoder, pool: FramePool) {
    self.make = make
    self.pool = pool
  }

  /// Takes the idle encoder that was put back last, or makes one when all encoders are in use.
  func take() -> Taken { idle.withLock { $0.popLast() } ?? Taken(encode: make(pool)) }

  /// Puts an encoder back. It is released when enough others are idle.
  func put(_ encoder: Taken) { idle.withLock { if $0.count < Self.kept { $0.append(encoder) } } }
}
