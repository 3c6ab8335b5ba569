import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

extension Bench {
  /// A registry of sessions to which nine cameras are connected: `fake-0`, `fake-1` and so on.
  static func ofCameras(clock: any Clock<Duration> = ContinuousClock()) -> Bench {
    Bench(devices: (0..<9).map { .fake(id: "fake-\($0)") }, clock: clock)
  }

  /// Creates, configures and starts the session `s`.
  func run(_ configuration: SessionConfiguration) async throws -> CaptureSession {
    let session = try await sessions.create(id: "s", idleTimeout: 0)
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    return session
  }

  /// The newest source of the camera with this number.
  func source(_ camera: Int) throws -> FakeSource {
    try #require(provider.sources.all.last { $0.deviceID == "fake-\(camera)" })
  }
}

extension SessionConfiguration {
  /// A configuration of the cameras with these numbers, each with a video data output of its own: the camera `fake-0`
  /// is the input `cam-0` and has the output `data-0`.
  static func cameras(
    _ cameras: [Int], disabled: Set<Int> = [], _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = cameras.map { .init(id: "cam-\($0)", deviceID: "fake-\($0)") }
    configuration.videoData = cameras.map { .init(id: "data-\($0)") }
    configuration.connections = cameras.map {
      .init(input: "cam-\($0)", output: "data-\($0)", isEnabled: !disabled.contains($0))
    }
    change(&configuration)
    return configuration
  }
}

extension CaptureError {
  static let busFull = CaptureError(.bandwidthExceeded, "The bus is full.")
}

extension CaptureSession {
  /// Each input and its state, in the order of the configuration.
  var inputStates: [String] { snapshot().inputStatus.map { "\($0.input) \($0.status.state)" } }

  /// The states of the session that its watchers were told.
  nonisolated func toldStates() async throws -> [SessionState] {
    try await CaptureSessionsTests.events(of: self).compactMap {
      if case .stateChanged(let status) = $0 { status.state } else { nil }
    }
  }
}
