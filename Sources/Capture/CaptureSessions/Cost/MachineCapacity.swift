internal import Locking
public import SystemClocks

/// How much work this machine can do.
public struct MachineCapacity: Hashable, Sendable {
  /// How much one core does in a second at its highest clock.
  public var core: CoreThroughput
  /// The number of cores that this process may use, at least 1.
  public var cores: Int
  /// The share of its highest clock that the machine sustains indefinitely, 0.01 to 1. Firmware and thermal daemons cap
  /// the clock.
  public var sustainedShare: Double

  /// Takes the facts of a machine, and brings values that are out of range into it.
  ///
  /// - Parameters:
  ///   - core: how much one core does in a second.
  ///   - cores: the number of cores that this process may use.
  ///   - sustainedShare: the share of its highest clock that the machine sustains indefinitely.
  public init(core: CoreThroughput, cores: Int, sustainedShare: Double) {
    self.core = core
    self.cores = max(1, cores)
    self.sustainedShare = min(max(sustainedShare, 0.01), 1)
  }
}

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

/// Measures how much work one core of this machine does in a second, by doing a little of each kind of work.
public enum Calibration {
  /// One kind of work, such as copying, with a way to do it once.
  public struct Work {
    /// Bytes or pixels that one run works on.
    public var units: Double
    /// Does the work once, and throws when this machine cannot do it.
    public var run: () throws -> Void

    /// Describes a kind of work.
    ///
    /// - Parameters:
    ///   - units: bytes or pixels that one run works on.
    ///   - run: does the work once, and throws when this machine cannot do it.
    public init(units: Double, run: @escaping () throws -> Void) {
      self.units = units
      self.run = run
    }
  }

  /// Processor time that each kind of work gets, nanoseconds. The three kinds, with the uncounted first run of each,
  /// take about 200 ms together.
  static let budget: UInt64 = 50_000_000

  /// Runs each kind of work on the calling thread and returns how much one core did in a second. The calling thread
  /// should have a low priority.
  ///
  /// The measurement counts processor time instead of elapsed time, so other work on the machine does not change the
  /// result. It leaves out the first run of each kind, which meets cold caches and fresh pages.
  ///
  /// - Parameter clock: returns the processor time of the calling thread, nanoseconds.
  /// - Throws: the error of a `run` that this machine cannot do.
  public static func measure(
    copying: Work, converting: Work, encoding: Work, clock: () -> UInt64 = ThreadTime.nanoseconds
  ) throws -> CoreThroughput {
    CoreThroughput(
      copiedBytes: try perSecond(copying, clock), convertedPixels: try perSecond(converting, clock),
      encodedPixels: try perSecond(encoding, clock))
  }

  private static func perSecond(_ work: Work, _ clock: () -> UInt64) throws -> Double {
    try work.run()
    let start = clock()
    var (runs, spent) = (0.0, UInt64(0))
    repeat {
      try work.run()
      runs += 1
      spent = clock() - start
    } while spent < budget
    return work.units * runs / (Double(spent) / 1e9)
  }
}

/// How much one core of this machine does in a second. ``Calibration`` measures these figures; none has an assumed
/// value.
public struct CoreThroughput: Hashable, Sendable, Codable {
  /// Bytes that one core copies in a second between blocks of memory that are too large for its caches.
  public var copiedBytes: Double
  /// Pixels that one core converts to another pixel format in a second.
  public var convertedPixels: Double
  /// Pixels that one core compresses to JPEG in a second.
  public var encodedPixels: Double

  /// Takes measured figures, each for one core and one second.
  ///
  /// - Parameters:
  ///   - copiedBytes: bytes copied.
  ///   - convertedPixels: pixels converted to another pixel format.
  ///   - encodedPixels: pixels compressed to JPEG.
  public init(copiedBytes: Double, convertedPixels: Double, encodedPixels: Double) {
    self.copiedBytes = copiedBytes
    self.convertedPixels = convertedPixels
    self.encodedPixels = encodedPixels
  }
}

/// The time that all processors of the machine together have spent since the machine was started, in ticks of the
/// kernel.
public struct ProcessorTimes: Hashable, Sendable {
  /// Ticks in which the processors were idle or only waited for a disk.
  var idle: UInt64
  var total: UInt64

  /// - Parameter stat: the content of `/proc/stat`.
  /// - Returns: nil when the content has no figures of the processors.
  public init?(stat: some StringProtocol) {
    // The line is "cpu  user nice system idle iowait irq softirq steal guest guest_nice". The times of guests are left
    // out because user and nice contain them already.
    guard let line = stat.split(separator: "\n", maxSplits: 1).first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
    guard ticks.count >= 5 else { return nil }
    idle = ticks[3] &+ ticks[4]
    total = ticks.reduce(0, &+)
    // Some kernels that run containers have the line with nothing but zeros in it.
    if total == 0 { return nil }
  }

  /// Returns the share of all processors' time since `former` in which they were idle, 0…1; nil when no time has
  /// passed.
  public func idleShare(since former: ProcessorTimes) -> Double? {
    // The sums that the kernel reports may decrease by a tick.
    guard total > former.total else { return nil }
    let idle = idle > former.idle ? idle - former.idle : 0
    return min(1, Double(idle) / Double(total - former.total))
  }
}
