internal import Synchronization

/// The machine's capacity, which may still have to be measured. Nobody waits for it. Thread-safe.
public final class MachineGauge: Sendable {
  private let capacity: Mutex<MachineCapacity?>
  private let changes: AsyncStream<Void>.Continuation
  /// An element when the capacity has been told. Never ends. For one consumer.
  public let told: AsyncStream<Void>

  /// - Parameter capacity: nil while it is not known.
  public init(_ capacity: MachineCapacity? = nil) {
    self.capacity = Mutex(capacity)
    (told, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Takes what was measured.
  public func tell(_ capacity: MachineCapacity) {
    self.capacity.withLock { $0 = capacity }
    changes.yield()
  }

  /// Nil while it is not known.
  var current: MachineCapacity? { capacity.withLock { $0 } }
}
