public import CaptureCore
internal import Synchronization

/// What decoded images, or drawn layers, together may take, so that small files and requests that make large pictures cannot
/// use up the machine's memory. Thread-safe.
public final class ImageMemory: Sendable {
  /// The memory of one; given back with the last reference.
  public final class Share: Sendable {
    private let memory: ImageMemory
    private let bytes: Int

    fileprivate init(_ memory: ImageMemory, _ bytes: Int) { (self.memory, self.bytes) = (memory, bytes) }

    deinit { memory.used.withLock { $0 -= bytes } }
  }

  private let budget: Int
  private let used = Mutex(0)

  /// - Parameter budget: bytes.
  public init(budget: Int) { self.budget = budget }

  /// Takes what an image of so many pixels needs, 4 bytes for each, before it is decoded.
  ///
  /// - Throws: `outOfBuffers` when the others leave too little.
  public func take(pixels: Int) throws(CaptureError) -> Share { try take(bytes: 4 * pixels) }

  func take(bytes: Int) throws(CaptureError) -> Share {
    let isTaken = used.withLock { used in
      guard bytes <= budget - used else { return false }
      used += bytes
      return true
    }
    guard isTaken else {
      throw CaptureError(
        .outOfBuffers,
        "No \(bytes) of \(budget) bytes are left for images of overlays; make it smaller, or clear other overlays.",
        metadata: ["bytes": "\(bytes)", "limit": "\(budget)"])
    }
    return Share(self, bytes)
  }
}
