/// When the phases of a photo began and ended, CLOCK_MONOTONIC.
public struct PhotoPhases: Hashable, Sendable {
  public var captureBegin: UInt64 = 0
  public var captureEnd: UInt64 = 0
  public var processBegin: UInt64 = 0
  public var processEnd: UInt64 = 0
  public var encodeBegin: UInt64 = 0
  public var encodeEnd: UInt64 = 0
}
