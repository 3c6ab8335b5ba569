public import SystemClocks

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
