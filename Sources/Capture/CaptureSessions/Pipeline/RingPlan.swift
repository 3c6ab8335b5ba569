internal import CaptureCore

/// Plans how many frames the ring keeps, and how much memory the frames of a camera may take. Depends on its arguments
/// alone.
struct RingPlan: Hashable, Sendable {
  /// Bytes for the frames in the ring.
  static let ringBudget = 192 << 20
  /// Bytes for frames outside the ring: frames that wait in readers' slots, are lent to gRPC, or are held for photos.
  static let transitBudget = 64 << 20

  /// The bounds of the ring.
  var limits: FrameRing.Limits
  /// Bytes that the pool may allocate.
  var poolBudget: Int
  /// Bytes of ``poolBudget`` that the ring takes when it is full.
  var ringBytes: Int
  /// How far back the ring reaches within these limits, nanoseconds; at most the window that was asked for.
  var windowNanoseconds: UInt64

  /// - Parameters:
  ///   - window: how far back the ring is to reach, nanoseconds.
  ///   - cameras: the number of cameras of the session, which share the memory outside of rings. Only one of them has a
  ///     ring that reaches back.
  ///   - held: the frames that compositions and captures of several cameras hold.
  init(window: UInt64, format: StreamFormat, cameras: Int = 1, held: Int = 0) {
    // Compressed frames differ in length. Half a byte per pixel is more than cameras send.
    let bytes = format.layout.planes.isEmpty ? format.layout.size.pixelCount / 2 : format.layout.byteCount
    // The pool allocates whole pages.
    let frameBytes = max(4096, (bytes + 4095) & ~4095)
    let period = 1_000_000_000 / max(format.frameRate.value, 0.01)
    let wanted = Int((Double(window) / period).rounded(.up)) + 1
    let frames = max(1, min(wanted, max(3, Self.ringBudget / frameBytes)))
    limits = FrameRing.Limits(
      windowNanoseconds: window, maximumFrames: frames, maximumBytes: max(Self.ringBudget, 3 * frameBytes))
    ringBytes = frames * frameBytes
    // A ring may reach back into the group of coded pictures before the newest one.
    let groups = format.layout.pixelFormat.isVideo ? 2 * CodedGroup.mostBytes : 0
    poolBudget = ringBytes + max(8 * frameBytes, Self.transitBudget / max(1, cameras)) + held * frameBytes + groups
    windowNanoseconds = min(window, UInt64(Double(frames - 1) * period))
  }
}
