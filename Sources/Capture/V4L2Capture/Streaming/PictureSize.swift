internal import CaptureCore

/// Finds out which size the compressed pictures of a stream have. One value for each stream.
///
/// Some cameras send another size than their driver confirms, in every picture. Such pictures are whole. A single
/// picture of another size among others is damaged: a transfer that broke off may leave any bytes in a header. Some
/// cameras begin a stream with pictures of the size that they had before, so that the confirmed size always counts.
struct PictureSize {
  /// How many pictures in a row must have the same other size, before any picture of the confirmed size came.
  private static let proof = 5
  /// How many times as many pixels as the confirmed size another one may have. Readers take memory for all of them.
  private static let most = 4

  /// The size that the driver confirmed.
  let told: Size
  /// The size that whole pictures have.
  private(set) var expected: Size
  private var isConfirmed = false
  private var other: (size: Size, count: Int)?

  init(told: Size) {
    self.told = told
    expected = told
  }

  /// Whether a picture whose header has this size is whole.
  mutating func accepts(_ found: Size) -> Bool {
    if found == told {
      isConfirmed = true
      expected = told
      return true
    }
    guard !isConfirmed, found.width > 0, found.height > 0, found.pixelCount <= Self.most * told.pixelCount else {
      return false
    }
    let count = other.map { $0.size == found ? $0.count + 1 : 1 } ?? 1
    other = (found, count)
    if count >= Self.proof { expected = found }
    return found == expected
  }
}
