public import CaptureCore
internal import Locking

/// A budget of memory that all decoded images, or all drawn layers, share. The budget prevents small files and requests
/// that decode to large pictures from using up the machine's memory. Thread-safe.
public final class ImageMemory: Sendable {
  /// The part of the budget that one image or layer holds. The part returns to the budget when the last reference to
  /// the share goes.
  public final class Share: Sendable {
    private let memory: ImageMemory
    private let bytes: Int

    fileprivate init(_ memory: ImageMemory, _ bytes: Int) { (self.memory, self.bytes) = (memory, bytes) }

    deinit { memory.used.withLock { $0 -= bytes } }
  }

  private let budget: Int
  private let used = Locked(0)

  /// Creates a budget of which nothing is taken.
  ///
  /// - Parameter budget: The size of the budget in bytes.
  public init(budget: Int) { self.budget = budget }

  /// Takes the memory of an image of `pixels` pixels, 4 bytes for each. The caller takes the share before it decodes
  /// the image.
  ///
  /// - Throws: `outOfBuffers` when the other shares leave too little of the budget.
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
        "The memory of \(budget) bytes for images of overlays has no \(bytes) bytes left; make the image smaller, "
          + "or clear other overlays.",
        metadata: ["bytes": "\(bytes)", "limit": "\(budget)"])
    }
    return Share(self, bytes)
  }
}
