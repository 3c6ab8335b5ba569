internal import CaptureCore
internal import Imaging

/// A cache of prepared frames, which are found by the pictures that they were made of. Consecutive photos have bursts
/// that share frames.
///
/// The memory of prepared frames comes from the pool. The cache releases a prepared frame when the picture that it was
/// made of is gone, when the cache holds too many, or when the pool is used up. The least recently used frame goes
/// first.
struct PreparedFrames {
  private let pool: FramePool
  private let limit: Int
  private var converter: PictureConverter
  /// The prepared frames, from the least to the most recently used.
  private var frames: [PreparedFrame] = []

  init(pool: FramePool, limit: Int) {
    self.pool = pool
    self.limit = limit
    converter = PictureConverter(pool: pool)
  }

  /// Prepares `pictures`, of which there must be at most `limit`. Damaged pictures other than the reference are left
  /// out.
  ///
  /// - Parameters:
  ///   - reference: The index of the reference in `pictures`.
  ///   - check: A function that throws when the fusion has to stop; it is called before each new frame is prepared.
  /// - Throws: The errors of ``PreparedFrame`` and of `check`.
  mutating func prepare(
    _ pictures: [Picture], reference: Int, check: () throws(CaptureError) -> Void
  ) throws(CaptureError) -> (reference: PreparedFrame, others: [PreparedFrame]) {
    frames.removeAll { $0.isStale }
    // The wanted frames become the most recently used ones before any new frame is prepared, so that the cache does not
    // release one of them to make room.
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
    // The reference comes first, because without it there is no photo and preparing the others is useless.
    let first = try prepared(pictures[reference])
    var others: [PreparedFrame] = []
    for (index, picture) in pictures.enumerated() where index != reference {
      do throws(CaptureError) { others.append(try prepared(picture)) } catch {
        guard error.reason == .frameDamaged else { throw error }
      }
    }
    return (first, others)
  }

  /// Releases all prepared frames except `wanted`.
  ///
  /// - Returns: Whether the cache held other frames.
  mutating func removeAll(but wanted: [PreparedFrame]) -> Bool {
    let before = frames.count
    frames.removeAll { frame in !wanted.contains { $0 === frame } }
    return frames.count < before
  }

  /// Releases all prepared frames, and the scratch memory of the converter.
  mutating func removeAll() {
    frames = []
    // The scratch memory that a converter keeps for the next picture is as large as a picture.
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
