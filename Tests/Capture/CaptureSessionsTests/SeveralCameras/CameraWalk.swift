import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

/// Walks through random commits of one session with several cameras and a composition of them, and unplugs cameras in
/// between. Frames come before, during and after each commit. One task uses it.
final class CameraWalk {
  /// What does not hold.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  /// The steps until now, for the message of a failure.
  private(set) var trace: [String] = []
  private var random: SeededGenerator
  private let clock = ManualClock()
  let bench: Bench
  private let session: CaptureSession
  private(set) var committed = CameraSet()
  private(set) var revision: UInt64 = 1
  /// The devices that are unplugged.
  private(set) var away: Set<Int> = []
  /// The sequence numbers that each stream sent since the frames were checked last.
  private(set) var sent: [UInt64: [UInt64]] = [:]

  /// Starts the session.
  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    bench = Bench(devices: CameraSet.devices.map(Self.device), clock: clock)
    session = try await bench.run(committed.configuration)
  }

  private static func device(_ number: Int) -> Device {
    .fake(id: "fake-\(number)", formats: [.fake(.nv12, Size(width: 64, height: 36))])
  }

  /// Makes so many commits, and checks the session after each.
  ///
  /// - Throws: ``Violation`` for the first rule that does not hold.
  func run(commits: Int) async throws {
    try await settle()
    for _ in 0..<commits {
      if Int.random(in: 0..<4, using: &random) == 0 { try await plug() }
      try await commit()
    }
    try await end()
  }

  // MARK: Steps

  /// Unplugs a camera, or plugs all in again.
  private func plug() async throws {
    if away.isEmpty || Bool.random(using: &random) {
      let device = CameraSet.devices.randomElement(using: &random)!
      trace.append("unplug fake-\(device)")
      away.insert(device)
      bench.provider.disconnect("fake-\(device)")
    } else {
      trace.append("plug in \(away.sorted())")
      for device in away { bench.provider.connect(Self.device(device)) }
      away = []
    }
    try await tick()
    try await checkCameras()
  }

  private func commit() async throws {
    var next = committed
    let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in next.change(using: &random) }
    trace.append(changes.joined(separator: ", "))
    let broken = brokenDevice(for: next)
    bench.provider.failStarts(.busFull, of: broken.map { "fake-\($0)" } ?? "none")
    let kept = sources.filter { committed.keeps($0.key, in: next) }
    let stream = next.composed?.isEnabled == true ? composedSource : nil
    send()
    let call = Task { [session, wanted = next.configuration] in
      await reason { _ = try await session.configure(wanted, etag: "", validateOnly: false) }
    }
    for _ in 0..<3 {
      await Task.yield()
      send()
    }
    let refusal = await call.value
    bench.provider.failStarts(nil)
    trace[trace.count - 1] += broken.map { ", fake-\($0) broken" } ?? ""
    trace[trace.count - 1] += " -> \(refusal?.rawValue ?? "ok")"
    let former = (committed, revision)
    if refusal == nil {
      revision += next == committed ? 0 : 1
      committed = next
    }
    try hold(
      refusal == nil || broken != nil || !former.0.accepts(next, without: away), "the commit is refused, \(away) away")
    try await tick()
    try await checkCameras()
    let now = sources
    for (device, source) in kept where !away.contains(device) {
      try hold(now[device] === source && source.stops.count == 0, "fake-\(device) was touched")
    }
    send()
    let streams = Set(kept.values.map(\.streamID))
    try checkFrames(since: former, kept: streams)
    try checkComposedFrames(since: former, kept: streams, stream: stream)
    sent = [:]
  }

  /// Returns a new camera of `next` that is not to start, seldom; else nil.
  private func brokenDevice(for next: CameraSet) -> Int? {
    guard Int.random(in: 0..<8, using: &random) == 0 else { return nil }
    return next.cameras.map(\.device).filter { committed.camera(on: $0) == nil }.randomElement(using: &random)
  }

  /// Stops and deletes the session, and checks that nothing of it is left.
  private func end() async throws {
    trace.append("delete")
    _ = try await session.stop(etag: "")
    try await bench.sessions.delete(session.id, etag: "")
    try await settle()
    try hold(bench.devices.holders.isEmpty, "the session holds \(bench.devices.holders)")
    try hold(bench.made.all.allSatisfy { $0.closings.count == 1 }, "an output is open or was closed twice")
    for output in bench.made.all { output.frames.removeAll() }
    for composition in bench.compositions.all { composition.frames.removeAll() }
    for source in bench.provider.sources.all + bench.compositions.all.flatMap(\.sources.all) {
      try hold(!source.isLive, "\(source.deviceID) runs")
      try hold(source.pool.usage.allocated == 0, "\(source.deviceID) keeps \(source.pool.usage.allocated) bytes")
    }
    try hold(clock.sleeping == 0, "\(clock.sleeping) tasks wait")
  }

  // MARK: Checks

  /// The sources that stream, by the number of their device.
  var sources: [Int: FakeSource] {
    let live = bench.provider.sources.all.filter(\.isLive).map { (Int($0.deviceID.dropFirst(5))!, $0) }
    return Dictionary(uniqueKeysWithValues: live)
  }

  /// Lets each camera that streams and then the composition bring a frame.
  private func send() {
    for source in sources.values {
      guard let frame = source.send() else { continue }
      sent[source.streamID, default: []].append(frame.sequence)
    }
    compose()
  }

  /// Checks that exactly the cameras run that an output takes and that are not away.
  private func checkCameras() async throws {
    let snapshot = await session.snapshot()
    let expected = committed.cameras.map { camera in
      let isAway = away.contains(camera.device)
      return "cam-\(camera.input) \(!committed.isUsed(camera.device) ? "stopped" : isAway ? "interrupted" : "running")"
    }
    let states = await session.inputStates.filter { !$0.hasPrefix("both ") }
    try hold(states == expected, "the inputs are \(states), not \(expected)")
    try hold(snapshot.revision == revision, "revision \(snapshot.revision), not \(revision)")
    try hold(snapshot.configuration == committed.configuration, "the configuration is another one")
    let used = Set(CameraSet.devices.filter { committed.isUsed($0) && !away.contains($0) })
    try hold(Set(sources.keys) == used, "open are \(sources.keys.sorted()), not \(used.sorted())")
    let held = Set(committed.cameras.map { "fake-\($0.device)" })
    try hold(Set(bench.devices.holders.keys) == held, "held are \(bench.devices.holders.keys.sorted())")
    try checkComposition()
  }

  /// Checks what came to each output since the last check: only frames of the camera that it had under the revision
  /// that the frame names, and every frame of a camera that no commit touched.
  private func checkFrames(since former: (set: CameraSet, revision: UInt64), kept: Set<UInt64>) throws {
    let devices = bench.provider.sources.all.reduce(into: [:]) { $0[$1.streamID] = $1.deviceID }
    for output in CameraSet.outputs {
      let recorder = bench.output("data-\(output)")!.frames
      let frames = recorder.all
      recorder.removeAll()
      try hold(frames.map(\.configRevision) == frames.map(\.configRevision).sorted(), "data-\(output): order")
      for frame in frames {
        let (name, stream) = ("data-\(output) at \(frame.configRevision)", frame.frame.streamID)
        try hold([former.revision, revision].contains(frame.configRevision), "\(name): unknown revision")
        let set = frame.configRevision == revision ? committed : former.set
        let camera = set.camera(of: output)
        try hold(camera.map { "cam-\($0.input)" } == frame.input, "\(name) got \(frame.input)")
        try hold(camera.map { "fake-\($0.device)" } == devices[stream], "\(name) got \(devices[stream] ?? "-")")
      }
      guard let camera = committed.camera(of: output), let source = sources[camera.device] else { continue }
      let (got, all) = (frames.map(\.frame.sequence), sent[source.streamID] ?? [])
      let isUntouched = kept.contains(source.streamID) && former.set.camera(of: output)?.device == camera.device
      try hold(isUntouched ? got == all : got.last == all.last, "data-\(output) got \(got) of \(all)")
      try hold(frames.last?.configRevision == revision, "data-\(output): no frame of revision \(revision)")
    }
  }

  // MARK: Quiet

  /// Lets the cameras open that wait, because they are back or because a commit gave their input another camera.
  private func tick() async throws {
    try await settle()
    clock.advance(by: RetrySchedule.tick)
    try await settle()
  }

  /// Returns when nothing is under way any more except timers that wait for the clock.
  private func settle() async throws {
    for _ in 0..<100_000 {
      await session.port.drain()
      await session.deferredStartEnded()
      try? await session.serially { _ in }
      let waiting = await session.waitingTimers
      if clock.sleeping == waiting { return }
      await Task.yield()
    }
    throw Violation(description: "the session does not come to rest")
  }

  func hold(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: what()) }
  }
}

extension CaptureSession {
  /// The number of the session's timers that wait for the clock.
  fileprivate var waitingTimers: Int {
    pipelines.count { $0.retries.isRunning } + (deferredStart.fallback != nil ? 1 : 0)
  }
}
