internal import CaptureCore
internal import FirstlightAPI

/// The number of frames that the daemon owes to one program on the local socket, and the frames that the program holds.
/// Each frame that the program holds has a lease, whose number the program sends back to release the frame. The ledger
/// is a value, which ``SharedReader`` protects with its lock.
struct LeaseLedger: Sendable {
  /// The largest number of frames that may be owing.
  static let maximumOwing: UInt32 = 16

  /// The number of frames that the program asked for and did not get yet.
  private(set) var owing: UInt32 = 0
  /// The loans of the frames that the program holds, by the numbers of their leases.
  private var leases: [UInt64: FrameLoan] = [:]
  /// The number of the newest lease; 0 before the first. Numbers are never used again.
  private var newest: UInt64 = 0
  /// The largest number of frames that the program may hold at once.
  private(set) var maximum = 4

  /// The numbers of the slabs with the frames that the program holds.
  var slabs: Set<UInt64> { Set(leases.values.map(\.buffer.slab.number)) }

  /// The number of frames that the program holds.
  var count: Int { leases.count }

  /// Sets the largest number of frames that the program may hold at once. Nil leaves the default of 4.
  ///
  /// - Throws: `invalidArgument` for a number that is not from 1 to 16.
  mutating func setMaximum(_ maximum: UInt32?) throws(CaptureError) {
    guard let maximum else { return }
    guard (1...16).contains(maximum) else {
      throw CaptureError(
        .invalidArgument, "max_leases is \(maximum); allowed: 1 to 16.",
        metadata: ["value": "\(maximum)", "allowed": "1 to 16"], field: "max_leases")
    }
    self.maximum = Int(maximum)
  }

  /// Notes that the program asks for `frames` more frames.
  ///
  /// - Throws: `invalidArgument` when more than ``maximumOwing`` frames would be owing.
  mutating func ask(_ frames: UInt32) throws(CaptureError) {
    guard frames <= Self.maximumOwing - owing else {
      throw CaptureError(
        .invalidArgument, "\(owing) frames are asked for already, and \(frames) more are too many; at most 16 may be.",
        metadata: ["frames": "\(frames)", "owing": "\(owing)"], field: "frames")
    }
    owing += frames
  }

  /// Notes that the program gets a frame. At least one frame must be owing.
  ///
  /// - Returns: the number of the frame's lease.
  mutating func lend(_ loan: FrameLoan) -> UInt64 {
    owing -= 1
    newest += 1
    leases[newest] = loan
    return newest
  }

  /// Ends a lease of the program.
  ///
  /// - Returns: the loan of the frame. The caller must keep the loan until the caller holds no lock any more, because
  ///   the end of the loan takes the pool's lock.
  /// - Throws: `invalidArgument` for a lease that the program does not hold.
  mutating func release(_ lease: UInt64) throws(CaptureError) -> FrameLoan {
    guard let loan = leases.removeValue(forKey: lease) else {
      throw CaptureError(
        .invalidArgument, "There is no lease \(lease); release each frame once.", metadata: ["lease": "\(lease)"],
        field: "lease")
    }
    return loan
  }

  /// Ends all leases of the program.
  ///
  /// - Returns: the loans of the frames, by lease. The caller must keep the loans until the caller holds no lock any
  ///   more.
  mutating func releaseAll() -> [UInt64: FrameLoan] {
    defer { leases = [:] }
    return leases
  }
}
