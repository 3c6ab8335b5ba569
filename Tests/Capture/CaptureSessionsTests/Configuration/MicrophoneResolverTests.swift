import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests which form of sound a configuration gets, and which issues with microphones a client is told of.
@Suite struct MicrophoneResolverTests {
  private static let microphones = [
    Microphone.fake(), .fake(id: "webcam", sampleRates: [16_000, 32_000], channelCounts: [1]),
    .fake(id: "studio", sampleRates: [96_000], channelCounts: [8]),
  ]

  /// Resolves a configuration with a camera, a preview, a movie output and `inputs`, changed by `change`.
  private func resolve(
    _ inputs: [SessionConfiguration.Input], _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> (resolved: ResolvedConfiguration, issues: [CaptureError]) {
    let asked = Bench.configuration {
      $0.inputs += inputs
      $0.movie = .init()
      change(&$0)
    }
    return ConfigurationResolver.resolve(asked, devices: [.fake()], microphones: Self.microphones)
  }

  private func issue(
    _ inputs: [SessionConfiguration.Input], _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> String {
    resolve(inputs, change).issues.map { "\($0.reason) \($0.field ?? "")" }.joined(separator: "; ")
  }

  /// The usual form is 48,000 Hz in two channels; a microphone without it gives the nearest.
  @Test func fillsInTheForm() {
    let (resolved, issues) = resolve([
      .init(deviceID: "fake-microphone"), .init(id: "a", deviceID: "webcam"), .init(id: "b", deviceID: "studio"),
    ])
    #expect(issues.isEmpty)
    #expect(resolved.microphones.map(\.id) == ["microphone", "a", "b"])
    #expect(
      resolved.microphones.map(\.format) == [
        AudioFormat(sampleRate: 48_000, channelCount: 2), AudioFormat(sampleRate: 32_000, channelCount: 1),
        AudioFormat(sampleRate: 96_000, channelCount: 8),
      ])
    #expect(resolved.inputs.map(\.id) == ["camera"])
  }

  /// What the client did not name stays open, so that a microphone that comes later decides it.
  @Test func remembersWhatTheClientNamed() throws {
    var inputs = ["a", "b", "c"].map { SessionConfiguration.Input(id: $0, deviceID: $0) }
    inputs[1].audioFormat = .init(sampleRate: 44_100)
    inputs[2].audioFormat = .init(sampleRate: 44_100, channelCount: 2)
    let asked = Bench.configuration { $0.inputs += inputs }
    let present = inputs.map { Microphone.fake(id: $0.deviceID) }
    let resolved = ConfigurationResolver.resolve(asked, devices: [.fake()], microphones: present).resolved
    let webcam = Self.microphones[1]
    #expect(
      resolved.microphones.map { webcam.form(for: $0.named) } == [
        AudioFormat(sampleRate: 32_000, channelCount: 1), AudioFormat(sampleRate: 44_100, channelCount: 1),
        AudioFormat(sampleRate: 44_100, channelCount: 2),
      ])
  }

  /// Nobody could ask an input that another program uses, so that a start must show whether it has the form.
  @Test func anInputInUseMayHaveOtherForms() {
    var busy = Microphone.fake(id: "busy", sampleRates: [16_000], channelCounts: [1])
    let asked = Bench.configuration {
      var input = SessionConfiguration.Input(deviceID: "busy")
      input.audioFormat = .init(sampleRate: 44_100, channelCount: 2)
      $0.inputs.append(input)
      $0.movie = .init()
    }
    func issues() -> [CaptureError.Reason] {
      ConfigurationResolver.resolve(asked, devices: [.fake()], microphones: [busy]).issues.map(\.reason)
    }
    #expect(issues() == [.formatNotSupported])
    busy.mayDeliverMore = true
    #expect(issues() == [])
  }

  /// Without connections, every microphone is a track of the movie. With connections, only those that are named.
  @Test func connectsMicrophonesToTheMovie() throws {
    let inputs = [
      SessionConfiguration.Input(id: "a", deviceID: "fake-microphone"), .init(id: "b", deviceID: "webcam"),
    ]
    let movie = try #require(resolve(inputs).resolved.outputs.last)
    #expect(movie.id == "movie" && movie.microphones.map(\.input) == ["a", "b"])
    let (chosen, issues) = resolve(inputs) {
      $0.connections = [
        .init(output: "preview"), .init(output: "movie"), .init(input: "b", output: "movie"),
        .init(input: "a", output: "movie", isEnabled: false),
      ]
    }
    #expect(issues.isEmpty)
    let output = try #require(chosen.outputs.last)
    #expect(chosen.audio(of: output).map(\.input) == ["b"])
    #expect(chosen.heardMicrophones.map(\.id) == ["b"])
    #expect(output.connection?.isEnabled == true)
  }

  @Test func namesTheIssues() {
    let microphone = SessionConfiguration.Input(deviceID: "fake-microphone")
    #expect(issue([microphone, microphone]).hasPrefix("invalidArgument configuration.inputs[2].device"))
    #expect(issue([.init(id: "camera", deviceID: "webcam")]) == "invalidArgument configuration.inputs[1].id")
    #expect(
      issue([microphone]) { $0.inputs.swapAt(0, 1) } == "invalidArgument configuration.inputs[0].device")
    #expect(
      issue([.init(deviceID: "webcam", frameRate: Rational(30, 1))])
        == "invalidArgument configuration.inputs[1].frame_rate_override")
    #expect(issue([.init(deviceID: "nobody")]) == "deviceNotFound configuration.inputs[1].device")
    #expect(
      issue([microphone]) { $0.inputs[0].audioFormat = .init(sampleRate: 48_000) }
        == "invalidArgument configuration.inputs[0].audio_format")
    #expect(
      issue([microphone]) { $0.inputs[1].audioFormat = .init(sampleRate: 8_000) }
        == "formatNotSupported configuration.inputs[1].audio_format")
    #expect(
      issue([microphone]) { $0.connections = [.init(input: "microphone", output: "photo")] }
        == "notSupportedInConfiguration configuration.connections[0].output")
    #expect(
      issue([microphone]) {
        $0.connections = [
          .init(input: "microphone", output: "movie"), .init(input: "microphone", output: "movie", rotationAngle: 90),
        ]
      } == "invalidArgument configuration.connections[1].output; "
        + "invalidArgument configuration.connections[1].video_rotation_angle")
    #expect(
      issue([.init(deviceID: "webcam")]) { $0.movie?.audioCodec = .opus }
        == "notSupportedInConfiguration configuration.movie.audio_codec")
    #expect(
      issue([.init(deviceID: "webcam")]) {
        $0.movie?.audioCodec = .opus
        $0.inputs[1].audioFormat = .init(sampleRate: 16_000)
      } == "")
    #expect(
      issue([microphone]) { $0.movie?.audioBitRate = 1 } == "invalidArgument configuration.movie.audio_average_bit_rate"
    )
    let many = (0..<5).map { SessionConfiguration.Input(id: "m\($0)", deviceID: $0 == 0 ? "webcam" : "studio") }
    #expect(issue(many).contains("invalidArgument configuration.inputs"))
  }

  /// A client learns what the daemon may not open before anything is committed.
  @Test func aRefusedMicrophoneIsSaid() {
    var refused = Microphone.fake(id: "refused")
    refused.unavailable = CaptureError(.deviceAccessDenied, "The daemon may not open it.")
    let asked = Bench.configuration { $0.inputs.append(.init(deviceID: "refused")) }
    let issues = ConfigurationResolver.resolve(asked, devices: [.fake()], microphones: [refused]).issues
    #expect(issues.map(\.reason) == [.deviceAccessDenied] && issues[0].field == "configuration.inputs[1].device")
  }
}
