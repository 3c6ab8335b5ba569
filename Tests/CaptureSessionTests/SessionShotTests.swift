import CaptureCore
import CaptureTestKit
import Synchronization
import Testing

@testable import CaptureSession

@Suite(.timeLimit(.minutes(2))) struct SessionShotTests {
  private struct Unwanted: Error {}

  private static func control(_ name: String, _ id: UInt32, _ value: Int64, menu: Int64 = 0) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, v4l2ID: id, kind: menu > 0 ? .menu : .integer, maximum: 1000)
    control.menuItems = (0..<menu).map { Control.MenuItem(index: $0) }
    control.value = .integer(value)
    return control
  }

  private let bench = Bench()

  private func values() async throws -> [Int64?] {
    try await bench.provider.controls(of: "fake-0").map { control in
      guard case .integer(let number)? = control.value else { return nil }
      return number
    }
  }

  private func running() async throws -> CaptureSession {
    bench.provider.setControls(
      [
        Self.control("Auto Exposure", 0x009a_0901, 0, menu: 2),
        Self.control("Exposure Time, Absolute", 0x009a_0902, 100), Self.control("Gain", 0x0098_0913, 7),
      ], of: "fake-0")
    return try await bench.running().0
  }

  private static func manual(_ nanoseconds: UInt64...) -> Shot {
    Shot(steps: nanoseconds.map { Shot.Step(exposure: .manual(ManualExposure(nanoseconds: $0))) })
  }

  @Test func itIsSetForEachStepAndThenBack() async throws {
    let session = try await running()
    let seen = Recorder<[Int64?]>()
    let after = try await session.shoot(Self.manual(1_000_000, 5_000_000)) { step, conditions in
      seen.append(try await values())
      #expect(conditions.readings.exposureNanoseconds == [1_000_000, 5_000_000][step])
      #expect(conditions.earliest <= SystemClock.monotonicNanoseconds())
    }
    #expect(seen.all == [[1, 10, 7], [1, 50, 7]])
    #expect(try await values() == [0, 100, 7])
    #expect(after > SystemClock.monotonicNanoseconds() - 1_000_000_000)
  }

  @Test func itIsSetBackWhenAStepFails() async throws {
    let session = try await running()
    await #expect(throws: Unwanted.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in throw Unwanted() }
    }
    #expect(try await values() == [0, 100, 7])
    // Beyond the range: the automatic was switched off before.
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(900_000_000_000)) { _, _ in }
    }
    #expect(error?.reason == .unsupportedValue)
    #expect(try await values() == [0, 100, 7])
  }

  @Test func itIsSetBackWhenTheCallerGoes() async throws {
    let session = try await running()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    let (going, go) = AsyncStream.makeStream(of: Void.self)
    let caller = Task {
      try await session.shoot(Self.manual(1_000_000)) { _, _ in
        waiter.finish()
        for await _ in going {}
      }
    }
    for await _ in waiting {}
    caller.cancel()
    go.finish()
    _ = await caller.result
    #expect(try await values() == [0, 100, 7])
  }

  @Test func aLostCameraEndsIt() async throws {
    let session = try await running()
    let provider = bench.provider
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in
        provider.disconnect("fake-0")
        for await _ in AsyncStream<Void>.makeStream().stream {}
        try Task.checkCancellation()
      }
    }
    #expect(error?.reason == .operationInterrupted)
    await session.drainSignals()
    #expect(await session.snapshot().status.state == .interrupted)
  }

  @Test func stopWaitsForIt() async throws {
    let session = try await running()
    let order = Recorder<String>()
    let (waiting, waiter) = AsyncStream.makeStream(of: Void.self)
    async let shot = session.shoot(Self.manual(1_000_000)) { _, _ in
      waiter.finish()
      // Every chance for the stop to be first.
      for _ in 0..<100 { await Task.yield() }
      order.append("shot")
    }
    for await _ in waiting {}
    _ = try await session.stop(etag: "")
    order.append("stop")
    _ = try await shot
    #expect(order.all == ["shot", "stop"])
    await #expect(throws: CaptureError.self) { _ = try await session.shoot(Self.manual(1_000_000)) { _, _ in } }
  }

  @Test func theConfigurationTellsWhatCanBeAskedFor() async throws {
    let session = try await running()
    let photo = await session.snapshot().resolved.outputs.first { $0.kind == .photo }?.photo
    #expect(photo?.shots.exposures == 100_000...100_000_000)
    #expect(photo?.shots.gains == 0...1000)
    #expect(photo?.shots.hasFlash == false)
  }
}
