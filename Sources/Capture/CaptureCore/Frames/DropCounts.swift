/// Frames lost, by cause. Delivered + dropped = produced.
public struct DropCounts: Hashable, Sendable {
  /// The reader was too slow; a newer frame took the place.
  public var late: UInt64
  /// The frame pool was used up.
  public var outOfBuffers: UInt64
  /// The driver skipped sequence numbers, or the stream was restarted.
  public var discontinuity: UInt64
  /// The camera or its driver brought a damaged picture: flagged as such, cut off, of another size, or not to be decoded.
  public var damaged: UInt64

  public init(late: UInt64 = 0, outOfBuffers: UInt64 = 0, discontinuity: UInt64 = 0, damaged: UInt64 = 0) {
    self.late = late
    self.outOfBuffers = outOfBuffers
    self.discontinuity = discontinuity
    self.damaged = damaged
  }

  public var total: UInt64 { late + outOfBuffers + discontinuity + damaged }

  public static func += (a: inout DropCounts, b: DropCounts) {
    a.late += b.late
    a.outOfBuffers += b.outOfBuffers
    a.discontinuity += b.discontinuity
    a.damaged += b.damaged
  }
}
