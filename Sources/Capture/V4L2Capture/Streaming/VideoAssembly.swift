internal import CaptureCore

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
