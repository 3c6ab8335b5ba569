internal import VideoCoding

/// The bytes that wait for the disk, as a value. They may grow by ``waitingBytes`` over the least that waited.
struct SampleBacklog {
  /// The number of coded bytes that wait for the disk above which frames are left out.
  static let waitingBytes = 32 << 20

  private var waiting = 0
  private var bound = waitingBytes

  /// Whether the disk is too slow for more frames.
  var isFull: Bool { waiting >= bound }

  /// Notes that a sample waits.
  ///
  /// - Parameter raisesBound: whether the samples that follow have as much room as without this one.
  mutating func add(_ size: Int, raisesBound: Bool = false) {
    waiting += Self.room(size)
    if raisesBound { bound += Self.room(size) }
  }

  /// Notes that a piece of sound waits, unless too much does and it is of a microphone. Silence, which has no samples,
  /// always may wait. Returns whether the piece may.
  mutating func admits(_ piece: AudioPiece) -> Bool {
    guard piece.origin != .microphone || piece.samples.isEmpty || !isFull else { return false }
    add(piece.byteCount, raisesBound: piece.origin == .preRoll)
    return true
  }

  /// Notes that a sample of this size waits no longer.
  mutating func take(_ size: Int) {
    waiting -= Self.room(size)
    bound = min(bound, waiting + Self.waitingBytes)
  }

  /// The bytes that a sample takes of ``waitingBytes``: its own and 1,024 more, which bounds the number of samples.
  private static func room(_ size: Int) -> Int { size + 1024 }
}
