internal import Locking

/// The machine's capacity, which may not have been measured yet. No caller ever waits for the measurement. Thread-safe.
public final class MachineGauge: Sendable {
  private let capacity: Locked<MachineCapacity?>
  private let changes: AsyncStream<Void>.Continuation
  /// Yields an element whenever a capacity has been passed to ``tell(_:)``, and never ends. Supports one consumer.
  public let told: AsyncStream<Void>

  /// - Parameter capacity: nil while it is not known.
  public init(_ capacity: MachineCapacity? = nil) {
    self.capacity = Locked(capacity)
    (told, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Takes the capacity that was measured, and informs the consumer of ``told``.
  public func tell(_ capacity: MachineCapacity) {
    self.capacity.withLock { $0 = capacity }
    changes.yield()
  }

  /// The machine's capacity; nil while it has not been measured.
  var current: MachineCapacity? { capacity.withLock { $0 } }
}
