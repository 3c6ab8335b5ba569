internal import CaptureCore
internal import SystemClocks

/// A sample on its way into a writer.
struct WriterSample: Sendable {
  enum Content: Sendable {
    case picture(CapturedFrame)
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

  init(_ frame: CapturedFrame) {
    time = frame.frame.time.monotonic.nanoseconds
    content = .picture(frame)
  }

  init(_ block: AudioBlock, of input: String) {
    time = block.time.nanoseconds
    content = .sound(block, input)
  }
}

extension AudioBlock {
  /// How long the block is, in nanoseconds.
  var duration: UInt64 { format.nanoseconds(ofSamples: count) }
}
