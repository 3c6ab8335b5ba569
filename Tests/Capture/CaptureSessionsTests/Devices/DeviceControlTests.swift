import CaptureCore
import CaptureTestKit
import Logging
import Testing

@testable import CaptureSessions

@Suite struct DeviceControlTests {
  private let provider = FakeProvider()
  private let devices: DeviceRegistry
  private let sessions: SessionRegistry
  private let output = FakeOutput(id: "preview")

  init() {
    devices = DeviceRegistry(providers: [provider])
    sessions = SessionRegistry(devices: devices, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
      [output] _, _ in output
    }
  }

  private func session(_ id: String, start: Bool = true) async throws -> CaptureSession {
    let session = try await sessions.create(id: id, idleTimeout: 0)
    var configuration = SessionConfiguration()
    configuration.inputs = [.init(deviceID: "fake-0")]
    configuration.preview = .init()
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    if start { _ = try await session.start(requestedAt: 1) }
    return session
  }

  private func claimError(by session: String?) -> CaptureError? {
    do throws(CaptureError) { try devices.checkClaim(on: "fake-0", by: session) } catch { return error }
    return nil
  }

  @Test func onlyTheSessionThatRunsADeviceMaySetIt() async throws {
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

  @Test func anActiveFrameRateNeedsAStream() async throws {
    let session = try await session("mine", start: false)
    func reason(_ device: String) async -> CaptureError.Reason? {
      do throws(CaptureError) { try await session.setActiveFrameRate(Rational(10, 1), of: device) } catch {
        return error.reason
      }
      return nil
    }
    #expect(await reason("fake-0") == .sessionNotRunning)
    _ = try await session.start(requestedAt: 1)
    #expect(await reason("fake-1") == .sessionNotRunning, "another device")
    #expect(await reason("fake-0") == nil)
  }

  @Test func capturesAreAsPatientAsTheActiveFrameRateNeeds() async throws {
    let session = try await session("mine")
    #expect(await session.context.framePatienceNanoseconds == FramePatience.shortest)
    try await session.setActiveFrameRate(Rational(1, 10), of: "fake-0")
    #expect(await session.context.framePatienceNanoseconds == FramePatience.nanoseconds(at: 0.1))
    try await session.setActiveFrameRate(Rational(1000, 1), of: "fake-0")
    #expect(await session.context.framePatienceNanoseconds == FramePatience.shortest, "no more than the camera's")
    try await session.setActiveFrameRate(Rational(1, 10), of: "fake-0")
    _ = try await session.stop(etag: "")
    _ = try await session.start(requestedAt: 2)
    #expect(await session.context.framePatienceNanoseconds == FramePatience.shortest)
  }

  @Test func anActiveFrameRateEndsWithTheStream() async throws {
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
