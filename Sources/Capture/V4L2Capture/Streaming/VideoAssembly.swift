internal import CV4L2
internal import CaptureCore
internal import Glibc
internal import SystemClocks

/// Makes frames of the coded pictures of a camera that sends H.264 or HEVC. One thread uses a value.
///
/// The first picture is a key frame, and so is the first one after a lost picture: those in between need what was lost,
/// and count as damaged. Each key frame has the parameter sets, which many cameras send only with the first picture.
struct VideoAssembly {
  private var groups: CodedGroups
  private var sets = ParameterSets()
  /// The driver's number of the last picture. Nil before the first one.
  private var last: UInt32?

  init(_ format: PixelFormat) { groups = CodedGroups(CodedStream(format: format)) }

  /// Notes that a picture was lost.
  mutating func lose() {
    groups.lose()
    last = nil
    groups.stream.requestKeyFrame()
  }

  /// Whether somebody wants a key frame. True once for each wish.
  func takeRequest() -> Bool { groups.stream.takeRequest() }

  /// Copies a picture, because the driver needs its buffer for the next one and later pictures need this one.
  ///
  /// - Parameters:
  ///   - source: the driver's bytes.
  ///   - sequence: the driver's number of the picture.
  ///   - pool: where the frame gets its memory.
  mutating func add(
    _ source: UnsafeRawBufferPointer, _ sequence: UInt32, _ pool: FramePool
  ) -> (FrameReader.Outcome, CodedPicture?) {
    let unit = AccessUnit(source, groups.stream.format, onlyHead: true)
    sets.add(unit)
    let hasGap = last.map { sequence &- $0 > 1 } ?? false
    guard unit.hasPicture else {
      // Some cameras send the parameter sets in buffers of their own.
      guard unit.sets.count == 0 else {
        last = sequence
        return (.noPicture, nil)
      }
      lose()
      return (.damaged, nil)
    }
    if hasGap, !unit.isKeyFrame { lose() }
    last = sequence
    guard unit.isKeyFrame || !groups.needsKeyFrame else {
      groups.stream.requestKeyFrame()
      return (.incomplete, nil)
    }
    if groups.isHalfFull, !unit.isKeyFrame { groups.stream.requestKeyFrame() }
    let missing = unit.isKeyFrame && !unit.hasParameterSets ? sets.bytes : []
    let count = missing.count + source.count
    guard let memory = pool.take(count) else {
      lose()
      return (.outOfBuffers, nil)
    }
    memory.bytes.copyBytes(from: missing)
    UnsafeMutableRawBufferPointer(rebasing: memory.bytes[missing.count...]).copyMemory(from: source)
    let buffer = memory.freeze(count: count)
    guard let picture = groups.add(buffer, isKeyFrame: unit.isKeyFrame) else { return (.incomplete, nil) }
    return (.frame(buffer), picture)
  }
}

/// Asks a camera that sends coded video for key frames, at most once a second, and says how long to wait for one. A
/// camera without the control is asked once: it sends key frames only by itself. Belongs to the capture thread.
struct KeyFrameRequests {
  /// Nanoseconds between two requests. A key frame is large, and many readers may wish for one.
  static let interval: UInt64 = 1_000_000_000

  /// How long after a lost picture a key frame may take, in nanoseconds. Most cameras send one at least every ten
  /// seconds.
  static let patience: UInt64 = 12_000_000_000

  /// When the first picture came that needs a lost one. Nil while pictures can be decoded.
  private var awaitedSince: MonotonicInstant?
  private var isWanted = false
  private var isRefused = false
  private var next = MonotonicInstant.epoch

  /// Whether a key frame may still come after a picture that needs a lost one. After that, only a restart of the camera
  /// brings one.
  mutating func mayCome(at now: MonotonicInstant) -> Bool {
    let since = awaitedSince ?? now
    awaitedSince = since
    return now.nanoseconds(since: since) < Self.patience
  }

  /// Notes a picture that can be decoded.
  mutating func noteFrame() { awaitedSince = nil }

  /// Asks the camera if somebody wants a key frame. The capture thread calls this method after each frame.
  ///
  /// - Parameter isWanted: whether somebody has asked for one since the last call.
  mutating func update(isWanted new: Bool, node: VideoNode, now: MonotonicInstant) {
    if new { isWanted = true }
    guard isWanted, !isRefused, now >= next else { return }
    (isWanted, next) = (false, now + Self.interval)
    do { try node.set(CV4L2_CID_FORCE_KEY_FRAME, to: 1) } catch {
      isRefused = [EINVAL, ENOTTY, EACCES].contains(error.errno.rawValue)
    }
  }
}
