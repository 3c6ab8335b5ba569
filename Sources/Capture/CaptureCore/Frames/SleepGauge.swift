public import SystemClocks

/// Notices that the machine was suspended, because CLOCK_BOOTTIME goes on during a suspension and CLOCK_MONOTONIC does
/// not. A value.
///
/// Reading both clocks takes time, and the thread may lose its processor between the two reads. Both methods therefore
/// read the clocks in an order in which such a pause can only hide a part of a sleep and never look like a sleep.
public struct SleepGauge: Hashable, Sendable {
  /// The shortest difference that counts as a sleep, in nanoseconds; no machine suspends and resumes faster.
  public static let shortest: UInt64 = 50_000_000

  private let ahead: UInt64

  /// Creates a gauge from two readings of the clocks.
  ///
  /// - Parameters:
  ///   - monotonic: the monotonic clock, read before `boot`.
  ///   - boot: the clock that goes on in a sleep.
  public init(monotonic: MonotonicInstant, boot: BootInstant) { ahead = Self.lead(of: boot, monotonic) }

  /// Creates a gauge that notices sleeps from now on.
  public static func start() -> SleepGauge {
    let monotonic = MonotonicInstant.now()
    return SleepGauge(monotonic: monotonic, boot: .now())
  }

  /// How long the machine slept since the gauge was created, in nanoseconds; nil when the machine did not sleep.
  ///
  /// - Parameters:
  ///   - boot: the clock that goes on in a sleep, read before `monotonic`.
  ///   - monotonic: the monotonic clock.
  public func slept(boot: BootInstant, monotonic: MonotonicInstant) -> UInt64? {
    let now = Self.lead(of: boot, monotonic)
    guard now >= ahead + Self.shortest else { return nil }
    return now - ahead
  }

  /// How long the machine has slept since it booted, in nanoseconds.
  private static func lead(of boot: BootInstant, _ monotonic: MonotonicInstant) -> UInt64 {
    boot.nanoseconds - min(boot.nanoseconds, monotonic.nanoseconds)
  }
}

extension CaptureError {
  /// The `systemSuspend` error for a stream during which the machine was suspended.
  ///
  /// - Parameter nanoseconds: how long the machine was suspended.
  public static func slept(_ nanoseconds: UInt64, device: String) -> CaptureError {
    let seconds = Seconds.tenths(nanoseconds)
    return CaptureError(
      .systemSuspend, "The machine was suspended for \(seconds) s; the daemon starts \(device) again by itself.",
      metadata: ["device": device, "suspended_seconds": seconds])
  }
}
