public import CaptureCore

/// Measures what one core does, by doing a little of it.
public enum Calibration {
  /// One kind of work.
  public struct Work {
    /// Bytes or pixels of one run.
    public var units: Double
    /// Does it once. Throws when it cannot be done here.
    public var run: () throws -> Void

    public init(units: Double, run: @escaping () throws -> Void) {
      self.units = units
      self.run = run
    }
  }

  /// Processor time for each kind of work. Three of them, with a first run each, are about 200 ms.
  static let budget: UInt64 = 50_000_000

  /// Runs each work on this thread, which should be one of low priority, and gives what a core did in a second.
  ///
  /// Processor time is measured, not time: what else the machine does meanwhile does not count. The first run of each,
  /// which meets cold caches and fresh pages, does not count either.
  ///
  /// - Parameter clock: the thread's processor time, nanoseconds.
  public static func measure(
    copying: Work, converting: Work, encoding: Work, clock: () -> UInt64 = SystemClock.threadNanoseconds
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
