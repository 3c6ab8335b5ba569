import CaptureCore
import CaptureTestKit
import Imaging

@testable import PhotoCapture

extension Photo {
  /// A photo of `bytes` bytes in the memory of `pool`, for tests that only keep it.
  static func fake(bytes: Int, in pool: FramePool) -> Photo {
    let layout = FrameLayout(pixelFormat: .jpeg, size: Size(width: 64, height: 36), planes: [])
    let frame = PhotoFrame(
      sequence: 1, streamID: 1, time: FrameTime(monotonic: 1, wall: 1, source: .arrival), input: "camera",
      device: "usb-1", configRevision: 1)
    return Photo(
      frame: frame, selection: FrameSelection(zeroShutterLagUsed: true, match: .exact, shutterLagNanoseconds: 0),
      picture: Picture(layout: layout, buffer: pool.take(bytes)!.freeze(count: bytes)), quality: .speed,
      fusedFrameCount: 1, phases: .any, byteCount: bytes)
  }
}
