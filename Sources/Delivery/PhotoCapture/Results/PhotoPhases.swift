public import SystemClocks

/// When the phases of a photo began and ended.
public struct PhotoPhases: Hashable, Sendable {
  public var captureBegin: MonotonicInstant
  public var captureEnd: MonotonicInstant
  public var processBegin: MonotonicInstant
  public var processEnd: MonotonicInstant
  public var encodeBegin: MonotonicInstant
  public var encodeEnd: MonotonicInstant
}
