import CaptureCore
import CaptureTestKit
import Logging
import Testing

@testable import CaptureSessions

/// Tests which clients may change a camera's settings while a session runs the camera, and how long a rate that a
/// client sets lasts.
@Suite struct DeviceControlTests {
  private let provider = FakeProvider()
  private let devices: DeviceRegistry
  private let sessions: SessionRegistry
  private let output = FakeOutput(id: "preview")

  init() {
    devices = DeviceRegistry(providers: [provider])
    sessions = SessionRegistry(
      devices: devices, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      makeComposition: FakeComposition.make
    ) {
      [output] _, _ in output
    }
  }

  /// A session with a preview of the fake camera, running or stopped.
  private func session(_ id: String, start: Bool = true) async throws -> CaptureSession {
    let session = try await sessions.create(id: id, idleTimeout: 0)
    var configuration = SessionConfiguration()
    configuration.inputs = [.init(deviceID: "fake-0")]
    configuration.preview = .init()
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    if start { _ = try await session.start(requestedAt: 1) }
    return session
  }

  /// The error for a client that sets a control and names `session`; nil when the client may set it.
  private func claimError(by session: String?) -> CaptureError? {
    do throws(CaptureError) { try devices.checkClaim(on: "fake-0", by: session) } catch { return error }
    return nil
  }

  /// While a session runs a device, a client must name this session to change the device's settings; other clients get
  /// `deviceClaimed` with the name of the session. While no session runs the device, any client may change its settings
  /// without naming a session, and a client that names one gets `sessionNotRunning`.
  @Test func onlyClientsOfTheRunningSessionMaySetItsDevice() async throws {
    #expect(claimError(by: nil) == nil)
    #expect(claimError(by: "mine")?.reason == .sessionNotRunning)
    let session = try await session("mine")
    #expect(devices.holder(of: "fake-0") == "mine")
    #expect(claimError(by: "mine") == nil)
    for other in ["other", nil] {
      let error = claimError(by: other)
      #expect(error?.reason == .deviceClaimed)
      #expect(error?.metadata["session"] == "mine")
    }
    _ = try await session.stop(etag: "")
    #expect(devices.holder(of: "fake-0") == nil)
    #expect(claimError(by: nil) == nil)
  }

  /// The active frame rate can be set only while the session runs, and only of its own device.
  @Test func theActiveFrameRateNeedsARunningSession() async throws {
    let session = try await session("mine", start: false)
    func reason(_ device: String) async -> CaptureError.Reason? {
      do throws(CaptureError) { try await session.setActiveFrameRate(Rational(10, 1), of: device) } catch {
        return error.reason
      }
      return nil
    }
    #expect(await reason("fake-0") == .sessionNotRunning)
    _ = try await session.start(requestedAt: 1)
    #expect(await reason("fake-1") == .sessionNotRunning, "the session does not run this device")
    #expect(await reason("fake-0") == nil)
  }

  /// At a low active frame rate, a capture waits longer for a frame before it gives up. The wait is never shorter than
  /// the shortest one, and the rate ends with the stream.
  @Test func capturesWaitLongerAtALowActiveFrameRate() async throws {
    let session = try await session("mine")
    #expect(await session.frames.patienceNanoseconds == FramePatience.shortest)
    try await session.setActiveFrameRate(Rational(1, 10), of: "fake-0")
    #expect(await session.frames.patienceNanoseconds == FramePatience.nanoseconds(at: 0.1))
    try await session.setActiveFrameRate(Rational(1000, 1), of: "fake-0")
    #expect(
      await session.frames.patienceNanoseconds == FramePatience.shortest,
      "a rate above the camera's changes nothing")
    try await session.setActiveFrameRate(Rational(1, 10), of: "fake-0")
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 2)
    #expect(await session.frames.patienceNanoseconds == FramePatience.shortest)
  }

  /// At half the camera's rate, outputs get every second frame. After a restart they get every frame again, and a rate
  /// of 0 ends the limit at once.
  @Test func theActiveFrameRateEndsWithItsStream() async throws {
    let session = try await session("mine")
    try await session.setActiveFrameRate(Rational(15, 1), of: "fake-0")
    provider.sources.all.last?.send(count: 4)
    #expect(output.frames.all.map(\.frame.sequence) == [0, 2])
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 2)
    provider.sources.all.last?.send(count: 3)
    #expect(output.frames.all.map(\.frame.sequence) == [0, 2, 0, 1, 2])
    try await session.setActiveFrameRate(Rational(15, 1), of: "fake-0")
    try await session.setActiveFrameRate(Rational(0, 1), of: "fake-0")
    provider.sources.all.last?.send(count: 3)
    #expect(output.frames.count == 8)
  }
}
