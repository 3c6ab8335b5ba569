public import CaptureCore

/// What clients may know of the video storage at one moment.
public struct VideoStorageState: Hashable, Sendable {
  /// What the storage is busy with. No capture can begin meanwhile.
  public enum BusyReason: Hashable, Sendable, CaseIterable {
    /// An operator changes the capacity.
    case adjustingCapacity
    /// Space that captures took is replaced.
    case replenishing
    /// A capture writes, or its movie moves to its place.
    case capturing
  }

  /// Why the folder cannot hold a storage whose writes do not stall; nil when it can.
  public var unsupportedReason: String?
  /// The bytes that the operator wants; 0 when nobody has set a capacity, and -1 when the storage cannot be read.
  public var initialCapacity: Int64 = 0
  /// The bytes that captures can write now; 0 when nobody has set a capacity, and -1 when the storage cannot be read.
  public var remainingCapacity: Int64 = 0
  /// What the storage is busy with; nil when a capture can begin.
  public var busyReason: BusyReason?
  /// Why the newest change of the storage failed, or why the storage cannot be read. Nil when it did what it should.
  public var failure: CaptureError?
  /// The bytes that captures have written since the daemon started.
  public var bytesWritten: UInt64 = 0
}
