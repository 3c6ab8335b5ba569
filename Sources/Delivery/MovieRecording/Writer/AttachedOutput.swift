internal import CaptureCore

/// Gives the frames and the sound of a session's output to a writer. What does not fit is refused and counted, so that
/// the camera never waits. Thread-safe.
final class AttachedOutput: MovieTarget {
  private let writer: AssetWriter
  private let source: WriterSource
  private let tracks: [AudioConnection]

  init(_ writer: AssetWriter, _ source: WriterSource) {
    self.writer = writer
    self.source = source
    tracks = writer.state.configuration.audio
  }

  var isEnding: Bool { source.ending != nil }

  func receive(_ frame: CapturedFrame) { offer(WriterSample(frame)) }

  func receive(_ block: AudioBlock, of input: String) {
    guard block.count > 0, tracks.contains(where: { $0.input == input }) else { return }
    offer(WriterSample(block, of: input))
  }

  private func offer(_ sample: WriterSample) {
    guard !isEnding else { return }
    do throws(CaptureError) { _ = try writer.offer(sample, from: source) } catch {
      // Its time does not fit, or the writer has just ended.
      _ = writer.refuse(sample.input, from: source)
    }
  }

  func end(_ reason: RecordingEnd) {
    switch reason {
    case .session(let error), .failed(let error): source.end(error)
    default: source.end(CaptureError(.operationInterrupted, "The output gives no more frames."))
    }
  }
}
