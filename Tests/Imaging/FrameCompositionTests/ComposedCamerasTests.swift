import CaptureCore
import CaptureTestKit
import SyntheticCapture
import SystemClocks
import Testing

@testable import FrameComposition

/// A composition of two synthetic cameras that run. The boards in the pictures say what the pictures are made of.
@Suite(.timeLimit(.minutes(1))) struct ComposedCamerasTests {
  /// Gives a camera's frames to a composition, as the fan-out of a pipeline does.
  private struct Tap: FrameSink {
    let composition: Composition
    let input: String
    /// When the camera took its frames.
    let times = Recorder<MonotonicInstant>()

    func receive(_ frame: Frame) {
      times.append(frame.time.monotonic)
      composition.receive(CapturedFrame(frame: frame, input: input, configRevision: 1))
    }

    func sourceDidEnd(_ error: CaptureError) {}
  }

  /// The board in a rectangle of a composed picture.
  private func board(_ frame: Frame, _ place: CompositionLayer.Rectangle) -> Timecode? {
    frame.buffer.withUnsafeBytes { bytes in
      let plane = frame.layout.planes[0]
      let start = plane.offset + place.y * plane.stride + place.x
      return Timecode(luma: UnsafeRawBufferPointer(rebasing: bytes[start...]), stride: plane.stride, size: place.size)
    }
  }

  @Test func picturesShowWhatTheySay() async throws {
    let provider = SyntheticDeviceProvider(count: 2, configuration: .init(noise: 0))
    let size = Size(width: 640, height: 360)
    let inset = CompositionLayer.Rectangle(x: 450, y: 250, size: Size(width: 160, height: 90))
    let layers = [
      CompositionLayer(input: "0", rectangle: .init(x: 0, y: 0, size: size)),
      CompositionLayer(input: "1", rectangle: inset, order: 1, cornerRadius: 2),
    ]
    let rate = Rational(30, 1)
    let composition = Composition(id: "pip", layers: layers)
    let sink = RecordingSink()
    let memory = FramePool(budget: 256 << 20)
    var cameras: [any FrameSource] = []
    let taps = ["0", "1"].map { Tap(composition: composition, input: $0) }
    for (index, format) in [PixelFormat.nv12, .yuyv].enumerated() {
      let request = StreamRequest(pixelFormat: format, size: size, frameRate: rate)
      cameras.append(
        try await provider.start(request, on: "synthetic-\(index)", pool: memory, sink: taps[index]))
    }
    let layout = CompositionLayout(size: size, frameRate: rate, layers: layers)
    let source = try composition.start(
      layout.format(withFirstLayer: cameras[0].format), patience: StallPatience(), pool: memory, sink: sink)
    let frames = try await sink.frames.wait(count: 12)
    // On a busy machine the second camera leaves frames out, and then takes longer from one frame to the next.
    let times = taps[1].times.all
    let gap = zip(times, times.dropFirst()).map { $1.signedNanoseconds(since: $0).magnitude }.max() ?? 0
    await source.stop()
    for camera in cameras { await camera.stop() }
    var seen = 0
    for frame in frames {
      #expect(frame.layers[0].source?.sequence == frame.sequence && frame.layers[0].source?.time == frame.time)
      for (index, layer) in frame.layers.enumerated() {
        guard let shown = layer.source else { continue }
        #expect(
          board(frame, layers[index].rectangle)
            == Timecode(sequence: shown.sequence, time: shown.time.wall, camera: UInt32(index)))
        seen += index
        let distance = shown.time.monotonic.signedNanoseconds(since: frame.time.monotonic).magnitude
        if !layer.isStale { #expect(distance <= gap / 2 + 1) }
      }
    }
    #expect(seen > 0, "the second camera was never shown")
  }
}
