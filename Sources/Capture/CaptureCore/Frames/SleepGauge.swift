/// Notices that the machine was suspended: CLOCK_BOOTTIME goes on then, CLOCK_MONOTONIC does not. A value.
///
/// Reading two clocks takes time, in which the thread may lose its processor. The readings are therefore taken so that
/// such a pause can hide a part of a sleep and never make one up.
public struct SleepGauge: Hashable, Sendable {
  /// Shorter ones are no sleep: nothing that suspends a machine is quicker.
  public static let shortest: UInt64 = 50_000_000

  private let ahead: UInt64

  /// - Parameters:
  ///   - monotonic: CLOCK_MONOTONIC, nanoseconds, read before `boot`.
  ///   - boot: CLOCK_BOOTTIME.
  public init(monotonic: UInt64, boot: UInt64) { ahead = boot - min(boot, monotonic) }

  /// From now on.
  public static func start() -> SleepGauge {
    let monotonic = SystemClock.monotonicNanoseconds()
    return SleepGauge(monotonic: monotonic, boot: SystemClock.bootNanoseconds())
  }

  /// How long the machine slept since the gauge began, nanoseconds; nil when it did not.
  ///
  /// - Parameters:
  ///   - boot: CLOCK_BOOTTIME, read before `monotonic`.
  ///   - monotonic: CLOCK_MONOTONIC.
  public func slept(boot: UInt64, monotonic: UInt64) -> UInt64? {
    let now = boot - min(boot, monotonic)
    guard now >= ahead + Self.shortest else { return nil }
    return now - ahead
  }
}

extension CaptureError {
  /// The machine was suspended while a stream ran.
  public static func slept(_ nanoseconds: UInt64, device: String) -> CaptureError {
    let seconds = Seconds.tenths(nanoseconds)
    return CaptureError(
      .systemSuspend, "The machine was suspended for \(seconds) s; \(device) is started again by itself.",
      metadata: ["device": device, "suspended_seconds": seconds])
  }
}
