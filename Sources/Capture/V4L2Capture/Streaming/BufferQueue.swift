internal import CV4L2
internal import CaptureCore
internal import Glibc

/// The buffers that the driver and the daemon pass back and forth, mapped into memory. One thread uses a queue.
///
/// A frame may keep its buffer while the driver has enough others; see ``BufferLedger``. When the driver has too few,
/// the queue asks it for one more buffer. Once it cannot have more, frames are copied. So readers that hold frames for
/// long cost memory, and never leave the driver without a buffer.
final class BufferQueue {
  private let calls: BufferCalls
  /// The pool that counts the frames in the driver's buffers; nil when no frame may keep a buffer.
  private let lender: FramePool?
  private var buffers: [DriverBuffer] = []
  private var ledger: BufferLedger
  private let returns = ReturnedBuffers()
  /// Whether the driver gave every buffer that the queue asked for.
  private var canGrow = true

  /// Asks the driver for `count` buffers (VIDIOC_REQBUFS) and maps them. The driver may give more or fewer. When the
  /// initializer throws, all buffers are freed.
  ///
  /// - Parameter lender: the pool that counts the frames in the driver's buffers; nil when no frame may keep a buffer.
  /// - Throws: the error of the call that failed; ENOMEM when the driver gives no buffer, EIO when a buffer has more
  ///   planes than V4L2 allows.
  init(
    _ node: VideoNode, _ interface: CaptureInterface, count: Int, lender: FramePool? = nil
  ) throws(VideoNodeError) {
    calls = BufferCalls(node: node, interface: interface)
    self.lender = lender
    ledger = BufferLedger(least: count - 1)
    let given = try calls.request(count)
    do throws(VideoNodeError) {
      guard given > 0 else { throw VideoNodeError(call: VideoRequest.requestBuffers.name, errno: Errno(ENOMEM)) }
      for index in 0..<given { try map(index) }
    } catch {
      release()
      throw error
    }
  }

  /// How many buffers `node` should have at first. With four buffers, the daemon reads one while the driver fills
  /// another, and two are spare for a late wake-up. A driver that needs more gets its minimum plus the buffer that the
  /// daemon reads, up to `VIDEO_MAX_FRAME`.
  static func count(for node: VideoNode) -> Int {
    let least = node.control(CV4L2_CID_MIN_BUFFERS_FOR_CAPTURE) ?? 0
    return min(max(4, Int(least) + 1), Int(VIDEO_MAX_FRAME))
  }

  /// Gives every buffer to the driver, before VIDIOC_STREAMON.
  func queueAll() throws(VideoNodeError) {
    for index in ledger.unqueued { try queue(index) }
  }

  func streamOn() throws(VideoNodeError) { try calls.streamOn() }

  /// Stops streaming, which takes all buffers back from the driver. Has no effect when the device is gone.
  func streamOff() { try? calls.streamOff() }

  /// Gives the driver the buffers whose frames nobody uses any more. Then takes the oldest buffer that the driver has
  /// filled.
  ///
  /// - Returns: nil when the driver has not filled another buffer yet.
  /// - Throws: the error of VIDIOC_DQBUF; EIO when the driver gives a buffer that does not exist or that a frame has.
  func dequeue() throws(VideoNodeError) -> FilledBuffer? {
    let returned = returns.takeAll()
    if !returned.isEmpty {
      for index in returned { ledger.returned(index) }
      try requeue()
    }
    guard let (buffer, planes) = try calls.dequeue() else { return nil }
    guard ledger.dequeued(buffer.index) else {
      throw VideoNodeError(call: VideoRequest.dequeueBuffer.name, errno: Errno(EIO))
    }
    let taken = buffers[Int(buffer.index)]
    return FilledBuffer(buffer, planes, in: taken, canLend: canLend(taken))
  }

  /// Whether a frame may keep a buffer that the driver has just filled.
  private func canLend(_ buffer: DriverBuffer) -> Bool {
    guard lender != nil, buffer.index < ReturnedBuffers.capacity else { return false }
    if !ledger.canLend { grow() }
    return ledger.canLend
  }

  /// Notes that a frame keeps a buffer.
  func lend(_ index: UInt32) { ledger.lend(index) }

  /// Gives the driver every buffer that neither it nor a frame has.
  ///
  /// When the driver refuses a buffer, the stream goes on with fewer buffers, and the next call tries the refused
  /// buffer again.
  ///
  /// - Throws: the driver's error when the device is gone, or when the driver has no buffer left to fill.
  func requeue() throws(VideoNodeError) {
    for index in ledger.unqueued {
      do { try queue(index) } catch {
        if error.isLoss || ledger.isStarved { throw error }
      }
    }
  }

  /// Asks the driver for one more buffer, within the budget of the frames.
  private func grow() {
    guard canGrow, buffers.count < ReturnedBuffers.capacity, let lender, let size = buffers[0].slab?.capacity,
      lender.hasRoom(for: size)
    else { return }
    do throws(VideoNodeError) {
      let index = try calls.create()
      canGrow = index.map(Int.init) == buffers.count
      guard canGrow, let index else { return }
      try map(index)
      try queue(index)
    } catch {
      canGrow = false
    }
  }

  /// Unmaps and frees the buffers, apart from the memory of frames that somebody still uses. Also works when the device
  /// is gone.
  func release() {
    for index in returns.takeAll() { ledger.returned(index) }
    for index in ledger.lent { buffers[Int(index)].detach() }
    buffers = []
    _ = try? calls.request(0)
  }

  private func map(_ index: UInt32) throws(VideoNodeError) {
    let buffer = DriverBuffer(index, returns: returns, syscalls: calls.node.syscalls)
    for extent in try calls.query(index) { try buffer.map(calls.node.descriptor, extent) }
    buffers.append(buffer)
    ledger.add()
  }

  private func queue(_ index: UInt32) throws(VideoNodeError) {
    try calls.queue(index)
    ledger.queued(index)
  }
}

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
