import FirstlightAPI
import FirstlightTestKit
import Foundation
import RPCCore
import SwiftProtobuf
import Testing

/// AssetWriterService: the order of its calls, and what it refuses. The files are judged elsewhere.
@Suite(.timeLimit(.minutes(1))) struct WriterCallsTests {
  private typealias Service = Firstlight_V1_AssetWriterService
  private typealias Configuration = Firstlight_V1_WriterConfiguration
  private typealias Samples = ResponseStream<Firstlight_V1_AppendSamplesResponse>

  private static let period: UInt64 = 40_000_000
  private static let picture = Data(repeating: 128, count: 320 * 180 * 3 / 2)

  private static func configuration(_ change: (inout Firstlight_V1_WriterConfiguration) -> Void = { _ in })
    -> Firstlight_V1_WriterConfiguration
  {
    .with {
      ($0.videoInput.size.width, $0.videoInput.size.height) = (320, 180)
      change(&$0)
    }
  }

  private func create(
    _ daemon: InProcessDaemon, _ configuration: Firstlight_V1_WriterConfiguration = configuration()
  ) async throws -> String {
    let response: Firstlight_V1_CreateWriterResponse = try await daemon.call(
      Service.createWriter, Firstlight_V1_CreateWriterRequest.with { $0.writerConfiguration = configuration })
    return response.writer.name
  }

  private func writer(_ daemon: InProcessDaemon, _ name: String) async throws -> Firstlight_V1_AssetWriter {
    let response: Firstlight_V1_GetWriterResponse = try await daemon.call(
      Service.getWriter, Firstlight_V1_GetWriterRequest.with { $0.name = name })
    return response.writer
  }

  private func start(_ daemon: InProcessDaemon, _ name: String) async throws {
    try await daemon.perform(Service.startWriting, Firstlight_V1_StartWritingRequest.with { $0.name = name })
  }

  /// Begins a call that appends samples.
  private func append(
    _ daemon: InProcessDaemon, to name: String, _ samples: [Firstlight_V1_WriterSample]
  ) throws -> Samples {
    let stream: Samples = daemon.open(Service.appendSamples)
    try stream.send(Firstlight_V1_AppendSamplesRequest.with { $0.writerName = name })
    for sample in samples { try stream.send(Firstlight_V1_AppendSamplesRequest.with { $0.sample = sample }) }
    return stream
  }

  /// Appends pictures, and returns when the daemon has taken them.
  private func append(_ daemon: InProcessDaemon, to name: String, pictures numbers: Range<UInt64>) async throws {
    let stream = try append(daemon, to: name, numbers.map(Self.sample))
    stream.endRequests()
    for try await _ in stream {}
  }

  private static func sample(_ number: UInt64) -> Firstlight_V1_WriterSample {
    .with { ($0.presentationTimeNs, $0.data) = (number * period, picture) }
  }

  private func refusal(_ daemon: InProcessDaemon, _ method: MethodDescriptor, _ name: String) async throws -> String {
    // All of these requests have the name as their first field.
    try await daemon.refusal(of: method, Firstlight_V1_GetWriterRequest.with { $0.name = name }).summary
  }

  @Test func theOrderOfTheCallsIsEnforced() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await create(daemon)
      #expect(try await writer(daemon, name).state == .unknown)
      #expect(try await append(daemon, to: name, [Self.sample(0)]).error().reason == "WRITER_NOT_STARTED")
      for method in [Service.endSession, Service.finishWriting] {
        #expect(try await refusal(daemon, method, name) == "FAILED_PRECONDITION WRITER_NOT_STARTED")
      }
      try await start(daemon, name)
      #expect(try await writer(daemon, name).state == .writing)
      #expect(try await refusal(daemon, Service.startWriting, name) == "FAILED_PRECONDITION WRITER_STARTED")
      try await append(daemon, to: name, pictures: 0..<2)
      try await daemon.perform(Service.endSession, Firstlight_V1_EndSessionRequest.with { $0.name = name })
      #expect(try await writer(daemon, name).sessionEnded)
      #expect(try await append(daemon, to: name, [Self.sample(2)]).error().reason == "WRITER_ENDED")
      let finished: Firstlight_V1_FinishWritingResponse = try await daemon.call(
        Service.finishWriting, Firstlight_V1_FinishWritingRequest.with { $0.name = name })
      #expect(finished.writer.state == .completed)
      #expect(finished.writer.writerInputs.map(\.acknowledgedSampleCount) == [2])
      for method in [Service.startWriting, Service.endSession, Service.finishWriting, Service.cancelWriting] {
        #expect(try await refusal(daemon, method, name) == "FAILED_PRECONDITION WRITER_ENDED")
      }
      #expect(try await refusal(daemon, Service.getWriter, "writers/none") == "NOT_FOUND WRITER_NOT_FOUND")
    }
  }

  @Test func realTimeIsSetBeforeTheStartOnly() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await create(daemon)
      func request(_ isRealTime: Bool) -> Firstlight_V1_ConfigureWriterRequest {
        .with {
          $0.name = name
          $0.writerConfiguration = Self.configuration { $0.expectsMediaDataInRealTime = isRealTime }
        }
      }
      #expect(try await !writer(daemon, name).writerConfiguration.expectsMediaDataInRealTime)
      try await daemon.perform(Service.configureWriter, request(true))
      #expect(try await writer(daemon, name).writerConfiguration.expectsMediaDataInRealTime)
      try await start(daemon, name)
      let error = try await daemon.refusal(of: Service.configureWriter, request(false))
      #expect(error.summary == "FAILED_PRECONDITION WRITER_STARTED")
      #expect(try await writer(daemon, name).writerConfiguration.expectsMediaDataInRealTime)
    }
  }

  @Test(arguments: [
    (Firstlight_V1_WriterSample.with { ($0.data, $0.presentationTimeNs) = (Data("short".utf8), 1 << 40) }, "data"),
    (.with { ($0.input, $0.data) = ("nobody", Data("x".utf8)) }, "input"),
    (.with { ($0.data, $0.presentationTimeNs) = (picture, 4 * period) }, "presentation_time_ns"),
    (.with { ($0.data, $0.presentationTimeNs) = (picture, 1_000_000_000_000) }, "presentation_time_ns"),
    (.with { ($0.data, $0.presentationTimeNs) = (picture, 1 << 63) }, "presentation_time_ns"),
    (.with { ($0.input, $0.data) = ("audio", Data("123".utf8)) }, "data"),
    (
      .with { ($0.input, $0.data, $0.presentationTimeNs) = ("audio", Data(count: 400), 100_000_000_000) },
      "presentation_time_ns"
    ),
  ]) func aBadSampleIsRefusedAndLosesNothing(_ sample: Firstlight_V1_WriterSample, _ field: String) async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await create(daemon, Self.configuration { $0.audioInputs = [.with { $0.input = "audio" }] })
      try await start(daemon, name)
      try await append(daemon, to: name, pictures: 0..<5)
      let error = try await append(daemon, to: name, [sample]).error()
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["sample.\(field)"])
      try await append(daemon, to: name, pictures: 5..<8)
      let finished: Firstlight_V1_FinishWritingResponse = try await daemon.call(
        Service.finishWriting, Firstlight_V1_FinishWritingRequest.with { $0.name = name })
      #expect(finished.writer.state == .completed)
      #expect(finished.writer.writerInputs.first?.acknowledgedSampleCount == 8)
    }
  }

  @Test(arguments: [
    (configuration { $0.videoInput.quality = 101 }, "INVALID_ARGUMENT INVALID_ARGUMENT"),
    (
      configuration { ($0.videoInput.frameRate.numerator, $0.videoInput.frameRate.denominator) = (2000, 1) },
      "INVALID_ARGUMENT INVALID_ARGUMENT"
    ),
    (configuration { $0.idleTimeout.nanos = 100_000_000 }, "INVALID_ARGUMENT INVALID_ARGUMENT"),
    (configuration { $0.fragmentInterval = .init() }, "INVALID_ARGUMENT INVALID_ARGUMENT"),
    (configuration { $0.audioInputs = [.with { $0.input = "video" }] }, "INVALID_ARGUMENT INVALID_ARGUMENT"),
    (
      configuration {
        $0.audioInputs = [.with { ($0.input, $0.audioFormat.sampleRate) = ("audio", 12_345) }]
      }, "INVALID_ARGUMENT INVALID_ARGUMENT"
    ),
    (configuration { $0.videoInput.pixelFormat = "ABCD" }, "INVALID_ARGUMENT UNSUPPORTED_VALUE"),
    (configuration { $0.videoInput.codec = .motionJpeg }, "INVALID_ARGUMENT UNSUPPORTED_VALUE"),
    (
      configuration { ($0.videoInput.codec, $0.videoInput.pixelFormat) = (.ffv1, "H264") },
      "INVALID_ARGUMENT UNSUPPORTED_VALUE"
    ),
    (
      configuration { ($0.videoInput.codec, $0.container) = (.ffv1, .mp4) },
      "FAILED_PRECONDITION NOT_SUPPORTED_IN_CONFIGURATION"
    ),
    (
      configuration { ($0.container, $0.shouldOptimizeForNetworkUse) = (.matroska, true) },
      "INVALID_ARGUMENT INVALID_ARGUMENT"
    ),
  ]) func aConfigurationThatCannotBeIsRefused(
    _ configuration: Firstlight_V1_WriterConfiguration, _ summary: String
  ) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(
        of: Service.createWriter,
        Firstlight_V1_CreateWriterRequest.with { $0.writerConfiguration = configuration })
      #expect(error.summary == summary)
      #expect(error.fields.allSatisfy { $0.hasPrefix("writer_configuration.") })
    }
  }

  @Test func thereAreAtMost16Writers() async throws {
    try await InProcessDaemon.run { daemon in
      var names: [String] = []
      for _ in 0..<16 { names.append(try await create(daemon)) }
      let request = Firstlight_V1_CreateWriterRequest.with { $0.writerConfiguration = Self.configuration() }
      let error = try await daemon.refusal(of: Service.createWriter, request)
      #expect(error.summary == "RESOURCE_EXHAUSTED TOO_MANY_REQUESTS")
      try await daemon.perform(Service.cancelWriting, Firstlight_V1_CancelWritingRequest.with { $0.name = names[0] })
      names.append(try await create(daemon))
      let list: Firstlight_V1_ListWritersResponse = try await daemon.call(
        Service.listWriters, Firstlight_V1_ListWritersRequest())
      #expect(list.writers.map(\.name).sorted() == names.sorted())
      #expect(list.writers.filter { $0.state == .cancelled }.map(\.name) == [names[0]])
    }
  }

  @Test func aFileThatExistsFailsTheStart() async throws {
    try await InProcessDaemon.run { daemon in
      let configuration = Self.configuration { $0.file = "same" }
      let first = try await create(daemon, configuration)
      try await start(daemon, first)
      let second = try await create(daemon, configuration)
      let error = try await daemon.refusal(
        of: Service.startWriting, Firstlight_V1_StartWritingRequest.with { $0.name = second })
      #expect(error.summary == "ALREADY_EXISTS RECORDING_EXISTS")
      #expect(error.fields == [])
      let failed = try await writer(daemon, second)
      #expect(failed.state == .failed)
      #expect(failed.error.reason == "RECORDING_EXISTS")
    }
  }

  @Test func aWriterWithoutAPictureFailsAndACancelledOneLeavesNothing() async throws {
    try await InProcessDaemon.run { daemon in
      let empty = try await create(daemon)
      try await start(daemon, empty)
      let finished: Firstlight_V1_FinishWritingResponse = try await daemon.call(
        Service.finishWriting, Firstlight_V1_FinishWritingRequest.with { $0.name = empty })
      #expect(finished.writer.state == .failed)
      #expect(finished.writer.error.reason == "WRITER_ENDED")

      let cancelled = try await create(daemon)
      try await start(daemon, cancelled)
      try await append(daemon, to: cancelled, pictures: 0..<3)
      let recording = try await writer(daemon, cancelled).recordingName
      #expect(!recording.isEmpty)
      let response: Firstlight_V1_CancelWritingResponse = try await daemon.call(
        Service.cancelWriting, Firstlight_V1_CancelWritingRequest.with { $0.name = cancelled })
      #expect(response.writer.state == .cancelled && response.writer.recordingName.isEmpty)
      let list: Firstlight_V1_ListRecordingsResponse = try await daemon.call(
        Firstlight_V1_RecordingService.listRecordings, Firstlight_V1_ListRecordingsRequest())
      #expect(!list.recordings.contains { $0.name == recording })
    }
  }

  @Test func anotherCallTakesOver() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await create(daemon)
      try await start(daemon, name)
      let first = try append(daemon, to: name, (0..<5).map(Self.sample))
      while try await writer(daemon, name).writerInputs[0].appendedSampleCount < 5 {}
      try await append(daemon, to: name, pictures: 5..<10)
      #expect(try await first.error().summary == "ABORTED OPERATION_INTERRUPTED")
      #expect(try await writer(daemon, name).writerInputs[0].appendedSampleCount == 10)
    }
  }

  @Test func anAttachmentNeedsAStartedWriterAndItsRecordingCannotPause() async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(.small { $0.movie = .init() }, start: true).name
      let name = try await create(daemon)
      let attach = Firstlight_V1_AttachToOutputRequest.with { ($0.name, $0.session) = (name, session) }
      let error = try await daemon.refusal(of: Service.attachToOutput, attach)
      #expect(error.summary == "FAILED_PRECONDITION WRITER_NOT_STARTED")
      try await start(daemon, name)
      let recording = try await writer(daemon, name).recordingName
      let pause = try await daemon.refusal(
        of: Firstlight_V1_RecordingService.pauseRecording,
        Firstlight_V1_PauseRecordingRequest.with { $0.name = recording })
      #expect(pause.summary == "FAILED_PRECONDITION NOT_SUPPORTED_IN_CONFIGURATION")
    }
  }
}
