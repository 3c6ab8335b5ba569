internal import CaptureCore
internal import FirstlightAPI

/// What one program asked for and holds. A value; ``SharedReader`` keeps it under its lock.
struct LeaseLedger: Sendable {
  /// The most frames a program may ask for beyond those it got.
  static let maximumOwing: UInt32 = 16

  private(set) var owing: UInt32 = 0
  private var leases: [UInt64: FrameLoan] = [:]
  private var newest: UInt64 = 0
  private(set) var maximum = 4

  /// The slabs of frames held now.
  var slabs: Set<UInt64> { Set(leases.values.map(\.buffer.slab.number)) }

  /// Frames held now.
  var count: Int { leases.count }

  /// - Throws: `invalidArgument` for less than 1 or more than 16.
  mutating func setMaximum(_ maximum: UInt32?) throws(CaptureError) {
    guard let maximum else { return }
    guard (1...16).contains(maximum) else {
      throw CaptureError(
        .invalidArgument, "max_leases is \(maximum); allowed: 1 to 16.",
        metadata: ["value": "\(maximum)", "allowed": "1 to 16"], field: "max_leases")
    }
    self.maximum = Int(maximum)
  }

  /// - Throws: `invalidArgument` when too many would be owing.
  mutating func ask(_ frames: UInt32) throws(CaptureError) {
    guard frames <= Self.maximumOwing - owing else {
      throw CaptureError(
        .invalidArgument, "\(owing) frames are asked for already, and \(frames) more are too many; at most 16 may be.",
        metadata: ["frames": "\(frames)", "owing": "\(owing)"], field: "frames")
    }
    owing += frames
  }

  /// Hands a frame over: one less is owing.
  mutating func lend(_ loan: FrameLoan) -> UInt64 {
    owing -= 1
    newest += 1
    leases[newest] = loan
    return newest
  }

  /// - Returns: what the program let go of, to be released outside any lock.
  /// - Throws: `invalidArgument` for a lease that it does not hold.
  mutating func release(_ lease: UInt64) throws(CaptureError) -> FrameLoan {
    guard let loan = leases.removeValue(forKey: lease) else {
      throw CaptureError(
        .invalidArgument, "There is no lease \(lease); release each frame once.", metadata: ["lease": "\(lease)"],
        field: "lease")
    }
    return loan
  }

  /// Everything it holds, which it holds no more.
  mutating func releaseAll() -> [UInt64: FrameLoan] {
    defer { leases = [:] }
    return leases
  }
}
