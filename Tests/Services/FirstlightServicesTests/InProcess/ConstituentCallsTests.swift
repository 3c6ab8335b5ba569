import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// Photo outputs of several cameras: which configurations and which requests there are. The photos themselves are
/// judged elsewhere.
@Suite(.timeLimit(.minutes(1))) struct ConstituentCallsTests {
  private typealias Configuration = Firstlight_V1_SessionConfiguration
  private static let unsupported = "FAILED_PRECONDITION NOT_SUPPORTED_IN_CONFIGURATION"
  private static let inputs = "settings.constituent_inputs"

  /// A session of cameras, whose photo output has some of them.
  private static func configuration(
    _ count: Int, connected: [Int], delivery: Bool? = true, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Configuration {
    .with { configuration in
      configuration.inputs = (0..<count).map { number in
        var input = Configuration.small(number).inputs[0]
        input.id = "cam-\(number)"
        return input
      }
      configuration.photo = .init()
      if let delivery { configuration.photo.constituentPhotoDeliveryEnabled = delivery }
      configuration.connections = connected.map { number in
        .with { ($0.input, $0.output) = ("cam-\(number)", "photo") }
      }
      change(&configuration)
    }
  }

  private func refusal(_ configuration: Configuration) async throws -> RPCError {
    try await InProcessDaemon.run {
      $0.cameras = 3
    } _: {
      try await $0.refusalOfCreation(configuration)
    }
  }

  @Test(arguments: [["cam-0"], ["cam-0", "cam-0"], ["cam-0", "cam-2"]])
  func inputsThatAreNoSetAreRefused(_ inputs: [String]) async throws {
    try await InProcessDaemon.run {
      $0.cameras = 3
    } _: { daemon in
      let session = try await daemon.createSession(Self.configuration(3, connected: [0, 1]), start: true).name
      let error = try await daemon.refusalOfPhoto(session, .with { $0.constituentInputs = inputs })
      #expect(error.summary == "INVALID_ARGUMENT UNSUPPORTED_VALUE")
      #expect(error.fields == [Self.inputs])
      #expect(error.metadata["available"] == "cam-0, cam-1")
    }
  }

  @Test func whatContradictsSeveralCamerasIsRefused() async throws {
    let others: [(inout Firstlight_V1_CapturePhotoRequest) -> Void] = [
      { $0.settings.bracket = [.with { $0.exposureBias = 0 }] }, { $0.settings.manualExposure.gain = 100 },
      { ($0.settings.maxPhotoDimensions.width, $0.settings.maxPhotoDimensions.height) = (320, 180) },
      { $0.settings.flashMode = .on }, { $0.settings.flashMode = .auto }, { $0.viewfinderSequence = 1 },
      { $0.shutterTime.seconds = 2_000_000_000 },
    ]
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(Self.configuration(2, connected: [0, 1]), start: true).name
      for other in others {
        var request = Firstlight_V1_CapturePhotoRequest.capture(
          session, .with { $0.constituentInputs = ["cam-0", "cam-1"] })
        other(&request)
        let error = try await daemon.refusal(of: Firstlight_V1_PhotoService.capturePhoto, request)
        #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
        #expect(error.fields == [Self.inputs])
      }
    }
  }

  @Test func anOutputWithoutTheFlagHasOneCamera() async throws {
    let error = try await refusal(Self.configuration(2, connected: [0, 1], delivery: false))
    #expect(error.summary == Self.unsupported)
    #expect(error.fields == ["configuration.connections[1].output"])
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(
        Self.configuration(2, connected: [1], delivery: false), start: true
      ).name
      let error = try await daemon.refusalOfPhoto(session, .with { $0.constituentInputs = ["cam-0", "cam-1"] })
      #expect(error.summary == Self.unsupported)
      #expect(error.fields == [Self.inputs])
      let photo = try #require(
        try await daemon.photo(session).first { !$0.didFinishProcessingPhoto.photo.input.isEmpty })
      #expect(photo.didFinishProcessingPhoto.photo.input == "cam-1")
    }
  }

  @Test func aConfigurationNeedsTwoCamerasAndNoComposition() async throws {
    let one = try await refusal(Self.configuration(2, connected: [1]))
    #expect(one.summary == Self.unsupported)
    #expect(one.fields == ["configuration.photo.constituent_photo_delivery_enabled"])
    let composed = try await refusal(
      Self.configuration(2, connected: [0, 1]) { configuration in
        configuration.inputs.append(
          .with {
            $0.id = "both"
            ($0.composition.width, $0.composition.height) = (640, 360)
            $0.composition.layers = (0..<2).map { number in
              .with {
                $0.input = "cam-\(number)"
                $0.order = Int32(number)
                ($0.rect.width, $0.rect.height) = (320, 180)
              }
            }
          })
        configuration.connections.append(.with { ($0.input, $0.output) = ("both", "photo") })
      })
    #expect(composed.summary == Self.unsupported)
    #expect(composed.fields == ["configuration.connections[2].input"])
    let depth = try await refusal(
      Self.configuration(1, connected: [0], delivery: nil) { $0.photo.depthDataDeliveryEnabled = true })
    #expect(depth.summary == Self.unsupported)
    #expect(depth.fields == ["configuration.photo.depth_data_delivery_enabled"])
  }

  /// The first camera in the order of the inputs is that of the output, whatever the order of the connections.
  @Test func theResolvedConfigurationResolvesToItself() async throws {
    try await InProcessDaemon.run {
      $0.cameras = 3
    } _: { daemon in
      let configuration = Self.configuration(3, connected: [2, 1]) { $0.connections[1].videoRotationAngle = 180 }
      let session = try await daemon.createSession(configuration, start: true)
      let resolved = session.resolvedConfiguration
      #expect(resolved.photo.constituentPhotoDeliveryEnabled)
      #expect(resolved.connections.map(\.input) == ["cam-1", "cam-2"])
      #expect(resolved.connections.map(\.videoRotationAngle) == [180, 0])
      #expect(try await daemon.configure(session.name, resolved).session.resolvedConfiguration == resolved)
    }
  }

  @Test(arguments: [1, 2]) func theCapabilitiesSayWhatThereIs(_ count: Int) async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(Self.configuration(count, connected: [0], delivery: nil))
      let photo = try #require(session.outputCapabilities.first { $0.output == "photo" }).photoCapabilities
      #expect(photo.constituentPhotoDeliverySupported == (count == 2))
      #expect(!photo.depthDataDeliverySupported)
      #expect(!session.resolvedConfiguration.photo.depthDataDeliveryEnabled)
    }
  }
}
