import FirstlightAPI
import FirstlightTestKit
import Foundation
import RPCCore
import SwiftProtobuf
import SyntheticCapture
import Testing

/// Photos as clients ask for them: the order of events, what is refused, and the list of captures.
@Suite(.timeLimit(.minutes(1))) struct CaptureCallsTests {
  private typealias Settings = Firstlight_V1_PhotoSettings
  private typealias Events = ResponseStream<Firstlight_V1_CapturePhotoResponse>

  /// Runs a test with a running session.
  private func withSession(
    _ change: (inout Firstlight_V1_SessionConfiguration) -> Void = { _ in },
    _ body: (InProcessDaemon, String) async throws -> Void
  ) async throws {
    try await InProcessDaemon.run { daemon in
      try await body(daemon, try await daemon.createSession(.small(0, change), start: true).name)
    }
  }

  private func ids(
    _ daemon: InProcessDaemon, _ change: (inout Firstlight_V1_ListCapturesRequest) -> Void = { _ in }
  ) async throws -> [String] {
    try await daemon.captures(change).captures.map { String($0.name.dropFirst("captures/".count)) }
  }

  /// Takes photos one after the other, and returns their ids.
  private func shoot(_ daemon: InProcessDaemon, _ session: String, _ count: Int) async throws -> [String] {
    var taken: [String] = []
    for _ in 0..<count { taken.append(try #require(try await daemon.photo(session).first).uniqueID) }
    return taken
  }

  @Test func theEventsOfACaptureComeInOrderWithTheSameSettings() async throws {
    try await withSession { daemon, session in
      let first = try await daemon.photo(session, .with { $0.qualityPrioritization = .speed })
      #expect(first.allSatisfy { !$0.resolvedSettings.hasProcessingTimeRange }, "nobody knows how long it takes")
      let events = try await daemon.photo(session, .with { $0.qualityPrioritization = .speed })
      #expect(
        events.map(\.step) == [
          "willBeginCapture", "willCapturePhoto", "didCapturePhoto", "didFinishProcessingPhoto", "didFinishCapture",
        ])
      let settings = try #require(events.first).resolvedSettings
      #expect(settings.qualityPrioritization == .speed)
      #expect(settings.fusedFrameCount == 1 && settings.expectedPhotoCount == 1)
      #expect((settings.size.width, settings.size.height) == (320, 180))
      let (shortest, longest) = (settings.processingTimeRange.minDuration, settings.processingTimeRange.maxDuration)
      #expect(shortest.timeInterval > 0 && shortest.timeInterval <= longest.timeInterval)
      #expect(events.allSatisfy { $0.resolvedSettings == settings })
      #expect(Set(events.map(\.uniqueID)).count == 1)
      #expect(Set(events.map(\.eventID)).count == events.count)
      let times = events.map(\.monotonicTimeNs)
      #expect(times == times.sorted())
    }
  }

  @Test(arguments: [
    (Settings.with { $0.jpegQuality = 101 }, "settings.jpeg_quality", "INVALID_ARGUMENT"),
    (.with { ($0.encoding, $0.heicQuality) = (.heic, 0) }, "settings.heic_quality", "INVALID_ARGUMENT"),
    (.with { ($0.encoding, $0.heicQuality) = (.heic, 101) }, "settings.heic_quality", "INVALID_ARGUMENT"),
    (
      .with { ($0.embeddedThumbnailDimensions.width, $0.embeddedThumbnailDimensions.height) = (32, 64) },
      "settings.embedded_thumbnail_dimensions", "INVALID_ARGUMENT"
    ),
    (
      .with {
        $0.encoding = .png
        ($0.embeddedThumbnailDimensions.width, $0.embeddedThumbnailDimensions.height) = (160, 160)
      }, "settings.embedded_thumbnail_dimensions", "UNSUPPORTED_VALUE"
    ),
    (
      .with {
        $0.encoding = .uncompressed
        ($0.embeddedThumbnailDimensions.width, $0.embeddedThumbnailDimensions.height) = (160, 160)
      }, "settings.embedded_thumbnail_dimensions", "UNSUPPORTED_VALUE"
    ),
  ]) func settingsThatCannotBeAreRefusedByName(
    _ settings: Firstlight_V1_PhotoSettings, _ field: String, _ reason: String
  ) async throws {
    try await withSession { daemon, session in
      let error = try await daemon.refusalOfPhoto(session, settings)
      #expect(error.summary == "INVALID_ARGUMENT \(reason)")
      #expect(error.fields == [field])
      if reason == "UNSUPPORTED_VALUE" { #expect(error.metadata["available"] == "JPEG, HEIC") }
      let prepared = try await daemon.refusal(
        of: Firstlight_V1_PhotoService.preparePhotoSettings,
        Firstlight_V1_PreparePhotoSettingsRequest.with {
          $0.session = session
          $0.settings = [.init(), settings]
        })
      #expect(prepared.fields == [field.replacingOccurrences(of: "settings.", with: "settings[1].")])
    }
  }

  @Test func clientsAreToldWhatEncodingsThereAre() async throws {
    try await withSession { daemon, session in
      let told = try await daemon.session(session).outputCapabilities.first { $0.output == "photo" }
      #expect(told?.photoCapabilities.availableEncodings == [.jpeg, .heic, .png, .uncompressed])
    }
  }

  @Test func capturesAreListedInTheirOrderAsEachIsToldAlone() async throws {
    try await withSession { daemon, session in
      let taken = try await shoot(daemon, session, 3)
      let captures = try await daemon.captures { $0.session = session }.captures
      #expect(captures.map(\.name) == taken.map { "captures/\($0)" })
      let times = captures.map(\.requestTime.date)
      #expect(times == times.sorted())
      for capture in captures {
        #expect((capture.session, capture.state) == (session, .finished))
        #expect(capture.photo.byteCount > 0 && capture.photo.data.isEmpty && !capture.hasError)
        let alone: Firstlight_V1_GetCaptureResponse = try await daemon.call(
          Firstlight_V1_PhotoService.getCapture, Firstlight_V1_GetCaptureRequest.with { $0.name = capture.name })
        #expect(alone.capture == capture)
      }
      // Times are from the first one on and before the last one.
      for (index, capture) in captures.enumerated() {
        #expect(try await ids(daemon) { $0.startTime = capture.requestTime } == Array(taken[index...]))
        #expect(try await ids(daemon) { $0.endTime = capture.requestTime } == Array(taken[..<index]))
      }
      #expect(
        try await ids(daemon) { ($0.startTime, $0.endTime) = (captures[1].requestTime, captures[2].requestTime) }
          == [taken[1]])
    }
  }

  @Test func aSessionHasItsOwnCapturesWhichOutliveIt() async throws {
    try await withSession { daemon, first in
      let second = try await daemon.createSession(.small(1), start: true).name
      #expect(try await ids(daemon) { $0.session = second } == [])
      let (before, other) = (try await shoot(daemon, first, 2), try await shoot(daemon, second, 1))
      #expect(try await ids(daemon) { $0.session = first } == before)
      #expect(try await ids(daemon) { $0.session = second } == other)
      #expect(try await ids(daemon) == before + other)
      // An event to go on after is told only for a session that has a photo output.
      #expect(try await daemon.captures { $0.session = first }.eventID != "")
      #expect(try await daemon.captures().eventID == "")
      try await daemon.configure(second, .small(1) { $0.clearPhoto() })
      #expect(try await daemon.captures { $0.session = second }.eventID == "")
      try await daemon.delete(first)
      #expect(try await ids(daemon) { $0.session = first } == before)
      #expect(try await daemon.captures { $0.session = first }.eventID == "")
    }
  }

  /// Without zero shutter lag a photo waits for a frame, and the camera gives none.
  @Test func aCaptureIsListedWhileItIsUnderWayAndWhenItWasInterrupted() async throws {
    try await withSession({ $0.photo.zeroShutterLagEnabled = false }) { daemon, session in
      let finished = try await shoot(daemon, session, 1)
      // Before a stream's first frame, a camera counts as stalled only after 5 s. The restart gives the test this time.
      try await daemon.stop(session)
      try daemon.cameras.faults.stall("synthetic-0", for: .seconds(60))
      try await daemon.start(session)
      let events: Events = try daemon.stream(
        Firstlight_V1_PhotoService.capturePhoto,
        Firstlight_V1_CapturePhotoRequest.capture(session, .with { $0.uniqueID = "waiting" }))
      #expect(try await events.next()?.event.step == "willBeginCapture")
      #expect(try await ids(daemon) == finished + ["waiting"])
      #expect(try await ids(daemon) { $0.state = .finished } == finished)
      #expect(try await ids(daemon) { $0.state = .failed } == [])
      let waiting = try #require(try await daemon.captures { $0.state = .inProgress }.captures.first)
      #expect(waiting.name == "captures/waiting" && !waiting.hasPhoto && !waiting.hasError)
      let download = Firstlight_V1_DownloadCaptureRequest.with { $0.name = waiting.name }
      let tooEarly = try await daemon.refusal(of: Firstlight_V1_PhotoService.downloadCapture, download)
      #expect(tooEarly.summary == "FAILED_PRECONDITION CAPTURE_NOT_FINISHED")
      #expect(tooEarly.retryDelay != nil)

      try await daemon.stop(session)
      let end = try #require(try await events.through { $0.event.step == "didFinishCapture" }.last).event
      #expect(end.didFinishCapture.error.reason == "OPERATION_INTERRUPTED")
      #expect(end.didFinishCapture.error.hasRetryInfo)
      let failed = try #require(try await daemon.captures { $0.state = .failed }.captures.first)
      #expect(failed.name == "captures/waiting" && failed.error == end.didFinishCapture.error)
      #expect(try await ids(daemon) { $0.state = .inProgress } == [])
      let tooLate = try await daemon.refusal(of: Firstlight_V1_PhotoService.downloadCapture, download)
      #expect(tooLate.summary == "ABORTED OPERATION_INTERRUPTED")
      #expect(tooLate.retryDelay != nil)
    }
  }

  @Test func whatIsNotThereDoesNotSayHowLongToWait() async throws {
    try await withSession({ $0.clearPhoto() }) { daemon, session in
      let capture = try await daemon.refusal(
        of: Firstlight_V1_PhotoService.getCapture, Firstlight_V1_GetCaptureRequest.with { $0.name = "captures/none" })
      #expect(capture.summary == "NOT_FOUND CAPTURE_NOT_FOUND")
      let output = try await daemon.refusal(
        of: Firstlight_V1_PhotoService.watchReadiness,
        Firstlight_V1_WatchReadinessRequest.with { $0.session = session })
      #expect(output.summary == "NOT_FOUND OUTPUT_NOT_FOUND")
      let device = try await daemon.refusal(
        of: Firstlight_V1_DeviceService.getDevice, Firstlight_V1_GetDeviceRequest.with { $0.name = "devices/none" })
      #expect(device.summary == "NOT_FOUND DEVICE_NOT_FOUND")
      for error in [capture, output, device] { #expect(error.retryDelay == nil) }
    }
  }

  @Test func aReaderTooManyIsWorthWaitingFor() async throws {
    try await withSession({ $0.videoData = [.with { $0.id = "frames" }] }) { daemon, session in
      let request = Firstlight_V1_StreamVideoDataRequest.with { $0.session = session }
      let method = Firstlight_V1_VideoDataService.streamVideoData
      let info: Firstlight_V1_GetServerInfoResponse = try await daemon.call(
        Firstlight_V1_ServerService.getServerInfo, Firstlight_V1_GetServerInfoRequest())
      for _ in 0..<info.serverInfo.limits.maxVideoDataReaders {
        let reader: ResponseStream<Firstlight_V1_StreamVideoDataResponse> = try daemon.stream(method, request)
        #expect(try await reader.next() != nil)
      }
      let error = try await daemon.refusal(of: method, request)
      #expect(error.summary == "RESOURCE_EXHAUSTED TOO_MANY_REQUESTS")
      #expect(error.retryDelay != nil)
    }
  }
}

extension Firstlight_V1_PhotoCaptureEvent {
  /// The name of what the event tells.
  fileprivate var step: String { event.map { "\($0)".prefix { $0 != "(" } }.map(String.init) ?? "" }
}
