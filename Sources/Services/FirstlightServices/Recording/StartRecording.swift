internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks
internal import VideoCoding

extension RecordingHandlers {
  /// The shortest and the longest interval that a client may name for fragments, in nanoseconds.
  private static let fragmentIntervals: ClosedRange<UInt64> = 100_000_000...60_000_000_000

  func startRecording(
    _ request: Firstlight_V1_StartRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StartRecordingResponse>
  ) async throws {
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output(request.output, as: MovieOutput.self, named: "movie")
    let settings = try settings(request, of: output, at: context.arrival)
    try await session.whileViewed(since: context.arrival) {
      try await session.awaitStartOnDemand(since: context.arrival)
      // The recording goes on when the client leaves, and needs the session as long.
      let release = session.beginCapture()
      let recording: Recording
      do {
        recording = try await recordings.start(
          output, of: session.id, file: request.file, settings, whenEnded: release)
      } catch {
        release()
        throw error
      }
      var position: UInt64 = 0
      while true {
        let entry = try await recording.news.entry(after: position)
        position = entry.id
        try await writer.write(.with { $0.event = entry.proto })
        if entry.payload.kind == .finished { return }
      }
    }
  }

  private func settings(
    _ request: Firstlight_V1_StartRecordingRequest, of output: MovieOutput, at arrival: MonotonicInstant
  ) throws(CaptureError) -> RecordingSettings {
    var settings = output.settings
    settings.container = try MovieContainer(
      request.container, for: settings.pictures.codec, output.recordsSound ? settings.sound.codec : nil)
    settings.fragmentInterval = try Validation.duration(
      request.hasFragmentInterval ? request.fragmentInterval : nil, Self.fragmentIntervals,
      default: settings.fragmentInterval, field: "fragment_interval")
    settings.preRoll = try preRoll(request, of: output, at: arrival)
    if request.shouldOptimizeForNetworkUse {
      guard settings.container.hasIndex else { throw Self.hasNoIndex(settings.container) }
      settings.optimizesForNetworkUse = true
    }
    let limits = request.recordingLimits
    if limits.hasMaxRecordedDuration {
      settings.limits.duration = try Validation.duration(
        limits.maxRecordedDuration, 1...9_000_000_000_000_000_000, field: "recording_limits.max_recorded_duration")
    }
    if limits.maxRecordedFileSize > 0 { settings.limits.fileSize = limits.maxRecordedFileSize }
    if limits.minFreeDiskSpace > 0 { settings.limits.freeSpace = limits.minFreeDiskSpace }
    return settings
  }

  private static func hasNoIndex(_ container: MovieContainer) -> CaptureError {
    CaptureError(
      .invalidArgument,
      "A file in \(container.rawValue) has no index that could come first; record in MP4 or QuickTime, or leave "
        + "should_optimize_for_network_use out.", metadata: ["container": container.rawValue],
      field: "should_optimize_for_network_use")
  }

  private func preRoll(
    _ request: Firstlight_V1_StartRecordingRequest, of output: MovieOutput, at arrival: MonotonicInstant
  ) throws(CaptureError) -> PreRollRequest? {
    guard request.hasPreRollDuration else { return nil }
    if request.preRollDuration.unsignedNanoseconds == 0 { return nil }
    // The output itself says that it keeps nothing, because a session that records continuously has a better answer.
    let longest = output.settings.maximumPreRoll
    return PreRollRequest(
      time: arrival,
      duration: try Validation.duration(
        request.preRollDuration, 0...(longest > 0 ? longest : PreRollRequest.maximumDuration),
        field: "pre_roll_duration"))
  }
}
