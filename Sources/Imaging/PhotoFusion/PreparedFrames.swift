internal import CaptureCore
internal import Imaging

/// Prepared frames by what they were made of, because the bursts of photos in a row share frames.
///
/// Their memory is the pool's. They are let go of when the frame they were made of is gone, when there are too many, or
/// when the pool is used up; the least recently used goes first.
struct PreparedFrames {
  private let pool: FramePool
  private let limit: Int
  private var converter: PictureConverter
  /// The most recently used last.
  private var frames: [PreparedFrame] = []

  init(pool: FramePool, limit: Int) {
    self.pool = pool
    self.limit = limit
    converter = PictureConverter(pool: pool)
  }

  /// Prepares `pictures`, at most `limit`. Others than the reference are left out when they are damaged.
  ///
  /// - Throws: see ``PreparedFrame``; `operationInterrupted` when `check` does.
  mutating func prepare(
    _ pictures: [Picture], reference: Int, check: () throws(CaptureError) -> Void
  ) throws(CaptureError) -> (reference: PreparedFrame, others: [PreparedFrame]) {
    frames.removeAll { $0.isStale }
    // Those that are wanted become the most recent ones before any is made, so that none of them goes for another.
    let wanted = frames.filter { frame in pictures.contains { frame.isMade(of: $0) } }
    frames.removeAll { frame in wanted.contains { $0 === frame } }
    frames += wanted
    var made = 0
    func prepared(_ picture: Picture) throws(CaptureError) -> PreparedFrame {
      if let known = frames.first(where: { $0.isMade(of: picture) }) { return known }
      try check()
      let frame = try make(picture, keeping: wanted.count + made)
      made += 1
      frames.append(frame)
      return frame
    }
    // First: without it the others are for nothing.
    let first = try prepared(pictures[reference])
    var others: [PreparedFrame] = []
    for (index, picture) in pictures.enumerated() where index != reference {
      do throws(CaptureError) { others.append(try prepared(picture)) } catch {
        guard error.reason == .frameDamaged else { throw error }
      }
    }
    return (first, others)
  }

  /// Lets go of all but `wanted`.
  ///
  /// - Returns: whether there were others.
  mutating func removeAll(but wanted: [PreparedFrame]) -> Bool {
    let before = frames.count
    frames.removeAll { frame in !wanted.contains { $0 === frame } }
    return frames.count < before
  }

  /// Lets go of all memory.
  mutating func removeAll() {
    frames = []
    // What it keeps for the next picture is as large as a picture.
    converter = PictureConverter(pool: pool)
  }

  private mutating func make(_ picture: Picture, keeping count: Int) throws(CaptureError) -> PreparedFrame {
    while frames.count >= limit { frames.removeFirst() }
    while true {
      do {
        return try PreparedFrame(picture, pool: pool, converter: converter)
      } catch {
        guard error.reason == .outOfBuffers, frames.count > count else { throw error }
        frames.removeFirst()
      }
    }
  }
}
