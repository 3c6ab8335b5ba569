/// Who has each of a driver's buffers. A value, which decides whether a frame may keep a buffer.
struct BufferLedger: Hashable {
  private enum Holder {
    /// The driver, which fills the buffer or has filled it.
    case driver
    /// The capture thread, which has to give the buffer to the driver.
    case daemon
    /// A frame that somebody uses.
    case frame
  }

  private var holders: [Holder] = []
  /// The driver must have so many buffers while frames keep others; with fewer it could lose frames.
  private let least: Int

  init(least: Int) { self.least = least }

  /// Adds a new buffer, which the capture thread has.
  mutating func add() { holders.append(.daemon) }

  /// Notes that the driver took a buffer.
  mutating func queued(_ index: UInt32) { holders[Int(index)] = .driver }

  /// Notes that the driver gave a buffer back.
  ///
  /// - Returns: false when a frame has the buffer, or when there is no such buffer.
  mutating func dequeued(_ index: UInt32) -> Bool {
    guard Int(index) < holders.count, holders[Int(index)] != .frame else { return false }
    holders[Int(index)] = .daemon
    return true
  }

  /// Notes that a frame keeps a buffer that the capture thread had.
  mutating func lend(_ index: UInt32) { holders[Int(index)] = .frame }

  /// Notes that nobody uses the frame in a buffer any more.
  mutating func returned(_ index: UInt32) { holders[Int(index)] = .daemon }

  /// Whether the driver has enough buffers without the ones that the capture thread has.
  var canLend: Bool { holders.count { $0 == .driver } >= least }

  /// Whether the driver has no buffer.
  var isStarved: Bool { !holders.contains(.driver) }

  /// The buffers that the driver should get.
  var unqueued: [UInt32] { indexes(of: .daemon) }

  /// The buffers that frames have.
  var lent: [UInt32] { indexes(of: .frame) }

  private func indexes(of holder: Holder) -> [UInt32] {
    holders.indices.filter { holders[$0] == holder }.map(UInt32.init)
  }
}
