internal import CaptureCore
internal import FirstlightServices
internal import Logging
internal import MovieRecording
internal import SystemClocks

/// Writes what may wait into the log, once a second: the frames that recordings lost, which threads count that must not
/// wait for a log, and who started sessions, because a line costs a launch more than it has to spare.
struct LateLog {
  let counters: RecordingCounters
  let services: CameraServices
  let logger: Logger

  private static let period = Duration.seconds(1)

  /// Writes until the task is cancelled.
  func run() async {
    var watch = LossWatch()
    while (try? await Task.sleep(for: Self.period)) != nil {
      tell(watch.take(counters.takeLosses(), at: .now()))
      services.tellStarts()
    }
    tell(watch.takeAll(counters.takeLosses()))
    services.tellStarts()
  }

  private func tell(_ losses: [String: DropCounts]) {
    guard !losses.isEmpty else { return }
    for (session, lost) in losses.sorted(by: { $0.key < $1.key }) {
      logger.warning(
        """
        Recordings lost frames. For those that are late the encoder or the disk is too slow: record a smaller picture \
        or fewer frames. Those of a discontinuity the camera did not deliver.
        """,
        metadata: [
          "session.name": "\(session)", "dropped.late": "\(lost.late)",
          "dropped.out_of_buffers": "\(lost.outOfBuffers)",
          "dropped.discontinuity": "\(lost.discontinuity)", "dropped.damaged": "\(lost.damaged)",
        ])
    }
  }
}
