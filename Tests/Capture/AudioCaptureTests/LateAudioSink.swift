import CaptureCore
import CaptureTestKit
import Foundation
import Glibc
import Synchronization

/// A sink that takes the 50th block only after the driver's buffer has run over, which the driver tells in /proc.
final class LateAudioSink: AudioSink {
  let blocks = Recorder<AudioBlock>()
  let losses = Recorder<AudioLoss>()

  func receive(_ block: AudioBlock) {
    blocks.append(block)
    guard blocks.count == 50 else { return }
    while let status = try? String(contentsOfFile: "/proc/asound/Loopback/pcm1c/sub0/status", encoding: .utf8),
      !status.contains("XRUN")
    {
      sched_yield()
    }
  }

  func soundWasLost(_ loss: AudioLoss) { losses.append(loss) }
  func sourceDidEnd(_ error: CaptureError) {}
}
