import CaptureCore
import CaptureTestKit

/// A sink that records all that a source tells it.
final class RecordingAudioSink: AudioSink {
  let blocks = Recorder<AudioBlock>()
  let losses = Recorder<AudioLoss>()
  let ends = Recorder<CaptureError>()

  func receive(_ block: AudioBlock) { blocks.append(block) }
  func soundWasLost(_ loss: AudioLoss) { losses.append(loss) }
  func sourceDidEnd(_ error: CaptureError) { ends.append(error) }
}
