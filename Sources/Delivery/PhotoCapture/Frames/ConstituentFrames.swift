internal import CaptureCore
internal import SystemClocks

/// Finds frames of several cameras that were captured at the same time: within half a period of the slower camera from
/// the frame of the first camera. A value without threads.
///
/// Each camera has a row of its oldest frames that may still belong to the photos. A frame leaves its row when no frame
/// to come can be near it. The rows are as long as cameras differ in how long they take to deliver a frame.
struct ConstituentFrames: Sendable {
  fileprivate struct Row: Sendable {
    let input: String
    /// The time between two frames by the rate that the camera promised, in nanoseconds.
    let promised: UInt64
    /// The times between the newest frames, oldest first.
    var spacings: [UInt64] = []
    /// The number and time of the newest frame, whether it is held or not.
    var newest: (streamID: UInt64, sequence: UInt64, time: MonotonicInstant)?
    var frames: [HeldFrame] = []
    var isSilent = true
    /// Whether an intact frame could not be held, because the camera has too little memory left.
    var lacksMemory = false
  }

  private let request: PhotoRequest
  private let earliest: MonotonicInstant
  private var rows: [Row]

  /// - Parameters:
  ///   - request: names the cameras.
  ///   - cameras: the cameras of the output, which tell their rates.
  ///   - earliest: when the first frames may have been captured.
  init(_ request: PhotoRequest, _ cameras: [ConstituentCamera], since earliest: MonotonicInstant) {
    self.request = request
    self.earliest = earliest
    rows = request.constituents.map { input in
      let rate = cameras.first { $0.input == input }?.frameRate?.value ?? 30
      return Row(input: input, promised: UInt64(1_000_000_000 / max(rate, 0.01)))
    }
  }

  /// The first camera that has brought no intact frame; nil when all have.
  var silentInput: String? { rows.first(where: \.isSilent)?.input }

  /// The first camera whose frames could not be held for lack of memory; nil when there is none.
  var inputWithoutMemory: String? { rows.first(where: \.lacksMemory)?.input }

  /// Takes the next frame of one of the cameras.
  ///
  /// - Returns: one frame of each camera, in the order of the request; nil while some are missing.
  mutating func offer(_ frame: CapturedFrame) -> [HeldFrame]? {
    guard let index = rows.firstIndex(where: { $0.input == frame.input }), frame.time >= earliest else { return nil }
    rows[index].follow(frame.frame)
    guard !frame.frame.buffer.isDamaged else { return nil }
    // Frames of another configuration may be of another camera with the same id, or turned in another way.
    for row in rows.indices { rows[row].frames.removeAll { $0.captured.configRevision != frame.configRevision } }
    rows[index].frames.removeAll { $0.captured.frame.streamID != frame.frame.streamID }
    rows[index].isSilent = false
    guard rows[index].frames.count < PhotoFeatures.maxConstituentFrames else { return nil }
    let held = FrameChoice.accept(frame, for: request)
    rows[index].lacksMemory =
      rows[index].frames.isEmpty && !frame.frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera)
    guard frame.frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera) else { return nil }
    rows[index].frames.append(held)
    return match()
  }

  /// Compares the oldest frame of the first camera with those of the others, and drops what is near to nothing.
  private mutating func match() -> [HeldFrame]? {
    while let first = rows[0].frames.first {
      var found = [first]
      var isLate = false
      for index in rows.indices.dropFirst() {
        let reach = max(rows[0].period, rows[index].period) / 2
        let time = first.captured.time
        rows[index].frames.removeAll { $0.captured.time + reach < time }
        guard let oldest = rows[index].frames.first else { continue }
        if oldest.captured.time > time + reach { isLate = true }
        found.append(rows[index].frames.min { $0.captured.distance(to: time) < $1.captured.distance(to: time) }!)
      }
      guard isLate else { return found.count == rows.count ? found : nil }
      rows[0].frames.removeFirst()
    }
    return nil
  }
}

extension ConstituentFrames.Row {
  /// The times between frames that the period follows from. A lost frame that the driver does not number makes one of
  /// them long, and never all.
  private static let window = 3

  /// The time between two frames, in nanoseconds. A camera that exposes for longer in the dark brings frames more
  /// seldom than it promised, and counts with its real period then.
  fileprivate var period: UInt64 { spacings.count < 2 ? promised : max(promised, spacings.min()!) }

  /// Takes over the time since the frame before. Frames that the driver dropped do not count.
  fileprivate mutating func follow(_ frame: Frame) {
    let time = frame.time.monotonic
    if let newest, newest.streamID == frame.streamID, frame.sequence > newest.sequence {
      let spacing = time.nanoseconds(since: newest.time) / (frame.sequence - newest.sequence)
      spacings = spacings.suffix(Self.window - 1) + [spacing]
    }
    newest = (frame.streamID, frame.sequence, time)
  }
}

extension CapturedFrame {
  fileprivate func distance(to instant: MonotonicInstant) -> UInt64 { time.signedNanoseconds(since: instant).magnitude }
}
