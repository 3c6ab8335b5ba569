internal import CaptureCore
internal import SystemClocks

/// A sample on its way into a writer.
struct WriterSample: Sendable {
  enum Content: Sendable {
    /// A picture, and whether a decoder can begin with it.
    case picture(CapturedFrame, isKeyFrame: Bool)
    /// Sound of the input with this id.
    case sound(AudioBlock, String)
  }

  /// When the picture is shown or the sound begins, in nanoseconds of the client's clock.
  let time: UInt64
  let content: Content

  /// The id of the input.
  var input: String {
    switch content {
    case .picture: WriterConfiguration.videoInput
    case .sound(_, let input): input
    }
  }

  init(_ frame: CapturedFrame, isKeyFrame: Bool = true) {
    time = frame.frame.time.monotonic.nanoseconds
    content = .picture(frame, isKeyFrame: isKeyFrame)
  }

  init(_ block: AudioBlock, of input: String) {
    time = block.time.nanoseconds
    content = .sound(block, input)
  }

  /// The sample at another time.
  ///
  /// - Parameter shift: the nanoseconds that are added to the time, beyond 64 bits if need be.
  func shifted(by shift: UInt64) -> WriterSample {
    guard shift != 0 else { return self }
    let instant = MonotonicInstant(nanoseconds: time &+ shift)
    switch content {
    case .picture(let captured, let isKeyFrame):
      let frame = captured.frame
      var time = frame.time
      time.monotonic = instant
      return WriterSample(
        captured.with(
          Frame(
            streamID: frame.streamID, sequence: frame.sequence, time: time, layout: frame.layout, buffer: frame.buffer,
            missing: frame.missing, sensor: frame.sensor, layers: frame.layers)), isKeyFrame: isKeyFrame)
    case .sound(var block, let input):
      block.time = instant
      return WriterSample(block, of: input)
    }
  }
}

extension AudioBlock {
  /// How long the block is, in nanoseconds.
  var duration: UInt64 { format.nanoseconds(ofSamples: count) }
}
