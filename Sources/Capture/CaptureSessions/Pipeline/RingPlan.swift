internal import CaptureCore

/// How many frames the ring keeps and how much memory the frames of a session may take. Pure.
struct RingPlan: Hashable, Sendable {
  /// For the frames of the ring.
  static let ringBudget = 192 << 20
  /// For frames on their way beside the ring: waiting in readers' slots, lent to gRPC, pinned by photos.
  static let transitBudget = 64 << 20

  var limits: FrameRing.Limits
  /// What the pool may allocate.
  var poolBudget: Int
  /// Of this, what the ring takes when it is full.
  var ringBytes: Int
  /// The window the ring reaches with these limits, at most the one asked for.
  var windowNanoseconds: UInt64

  init(window: UInt64, format: StreamFormat) {
    // Compressed frames differ in length; half a byte a pixel is beyond what cameras send.
    let bytes = format.layout.planes.isEmpty ? format.layout.size.pixelCount / 2 : format.layout.byteCount
    // The pool takes whole pages.
    let frameBytes = max(4096, (bytes + 4095) & ~4095)
    let period = 1_000_000_000 / max(format.frameRate.value, 0.01)
    let wanted = Int((Double(window) / period).rounded(.up)) + 1
    let frames = max(1, min(wanted, max(3, Self.ringBudget / frameBytes)))
    limits = FrameRing.Limits(
      windowNanoseconds: window, maximumFrames: frames, maximumBytes: max(Self.ringBudget, 3 * frameBytes))
    ringBytes = frames * frameBytes
    poolBudget = ringBytes + max(8 * frameBytes, Self.transitBudget)
    windowNanoseconds = min(window, UInt64(Double(frames - 1) * period))
  }
}
