internal import CaptureCore
internal import Logging
internal import MovieRecording
internal import SystemClocks

/// Warns in the log of frames that recordings lost.
struct LossWarnings {
  let counters: RecordingCounters
  let logger: Logger

  /// How often the losses are asked for. ``LossWatch`` decides how often the log tells of them.
  private static let period = Duration.seconds(1)

  /// Watches until the task is cancelled.
  func run() async {
    var watch = LossWatch()
    while (try? await Task.sleep(for: Self.period)) != nil {
      for (session, lost) in watch.take(counters.takeLosses(), at: .now()).sorted(by: { $0.key < $1.key }) {
        logger.warning(
          """
          Recordings lost frames. For those that are late the encoder or the disk is too slow: record a smaller \
          picture or fewer frames. Those of a discontinuity the camera did not deliver.
          """,
          metadata: [
            "session": "\(session)", "late": "\(lost.late)", "out_of_buffers": "\(lost.outOfBuffers)",
            "discontinuity": "\(lost.discontinuity)", "damaged": "\(lost.damaged)",
          ])
      }
    }
  }
}
