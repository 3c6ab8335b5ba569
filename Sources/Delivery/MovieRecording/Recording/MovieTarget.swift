internal import CaptureCore
internal import VideoCoding

/// What a movie output gives its frames to: a recorder, or a writer.
protocol MovieTarget: AnyObject, Sendable {
  /// Whether the target takes no more frames.
  var isEnding: Bool { get }

  /// Takes a frame, on the capture thread.
  func receive(_ frame: CapturedFrame)

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String)

  /// Learns that no frames of the stream will come any more.
  func end(_ reason: RecordingEnd)
}

extension MovieRecorder: MovieTarget {
  func receive(_ block: AudioBlock, of input: String) { receive(block, of: input, from: .microphone) }
}
