import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import SystemClocks
import Testing

@testable import FrameComposition

/// A composition that runs on its thread. The times of the frames are made up, and every frame of the second camera
/// comes before the first camera's frame of the same time, so that no picture waits.
@Suite(.timeLimit(.minutes(1))) struct CompositionTests {
  static let size = Size(width: 64, height: 36)
  let sink = RecordingSink()
  let composition = Composition(id: "pip", layers: [.whole("a"), .whole("b")])
  let memory = FramePool(budget: 1 << 20)

  private func start(
    patience: StallPatience = StallPatience(betweenFrames: 3_600_000_000_000, firstFrame: 3_600_000_000_000),
    rate: UInt32 = 30, pool: FramePool? = nil
  ) throws -> any FrameSource {
    let format = StreamFormat(
      devicePixelFormat: .nv12, layout: .packed(.nv12, Self.size)!, frameRate: Rational(rate, 1))
    return try composition.start(format, patience: patience, pool: pool ?? memory, sink: sink)
  }

  /// Gives the composition the frames of both cameras at a tick of 30 a second.
  private func tick(_ number: UInt64, first: String = "a", stream: UInt64 = 1) {
    let captured = 1000 + Double(number) * 100 / 3
    for input in ["a", "b"].sorted(by: { $1 == first && $0 != first }) {
      composition.receive(frame(input, number, at: captured, stream: stream))
    }
  }

  private func composed(_ count: Int) async throws -> [Frame] { try await sink.frames.wait(count: count) }

  @Test func picturesCarryWhatTheyShow() async throws {
    let source = try start()
    for number in 0..<3 {
      tick(UInt64(number))
      _ = try await composed(number + 1)
    }
    let frames = sink.frames.all
    #expect(frames.map(\.sequence) == [0, 1, 2] && frames.allSatisfy { $0.streamID == source.streamID })
    #expect(frames[2].time.monotonic.nanoseconds == UInt64((1000 + 200.0 / 3) * 1e6))
    #expect(frames[2].time.source == .startOfExposure && frames[2].layout == source.format.layout)
    #expect(frames[2].layers.map(\.input) == ["a", "b"])
    #expect(frames[2].layers.map { $0.source?.sequence } == [2, 2] && frames[2].layers.allSatisfy { !$0.isStale })
    await source.stop()
    #expect(sink.ends.count == 0)
  }

  /// A stopped composition holds no frame of a camera.
  @Test func stoppingLetsGoOfEverything() async throws {
    let source = try start()
    weak var held: CapturedFrame?
    do {
      let captured = frame("b", 0, at: 1000)
      held = captured
      composition.receive(captured)
    }
    #expect(held != nil)
    await source.stop()
    #expect(held == nil)
    tick(5)
    #expect(sink.frames.count == 0)
    let next = try start()
    #expect(next.streamID > source.streamID)
    await next.stop()
    await next.stop()
  }

  @Test func onlyOneSourceRuns() async throws {
    let source = try start()
    #expect(throws: CaptureError.self) { try start() }
    await source.stop()
    await (try start()).stop()
  }

  /// The next picture has the new layers, and the stream goes on.
  @Test func newLayersComeWithTheNextPicture() async throws {
    let source = try start()
    tick(0)
    _ = try await composed(1)
    composition.follow(
      CompositionPlan(layers: [.whole("a"), .whole("b"), .whole("a")], pace: .every, revision: 7))
    tick(1)
    let frames = try await composed(2)
    #expect(frames.map(\.layers.count) == [2, 3] && frames[0].streamID == frames[1].streamID)
    #expect(sink.revisions.all == [0, 7])
    await source.stop()
  }

  /// Sequence numbers of another camera belong to another stream, and so do those after a restart.
  @Test func anotherClockIsAnotherStream() async throws {
    let source = try start()
    tick(0)
    _ = try await composed(1)
    composition.follow(CompositionPlan(layers: [.whole("b"), .whole("a")], pace: .every, revision: 2))
    tick(1, first: "b")
    _ = try await composed(2)
    tick(2, first: "b", stream: 2)
    let frames = try await composed(3)
    #expect(frames.map { $0.layers[0].input } == ["a", "b", "b"])
    #expect(frames[0].streamID < frames[1].streamID && frames[1].streamID < frames[2].streamID)
    #expect(source.streamID == frames[2].streamID)
    await source.stop()
  }

  /// A damaged picture of one camera does not disturb the others.
  @Test func aDamagedLayerIsLeftOut() async throws {
    let source = try start()
    let damaged = CapturedFrame(
      frame: .fake(sequence: 0, at: 1_000_000_000, layout: .packed(.mjpeg, Self.size)!, pool: pool)!, input: "b",
      configRevision: 1)
    composition.receive(damaged)
    composition.receive(frame("a", 0, at: 1000))
    let frames = try await composed(1)
    #expect(frames[0].layers.map { $0.source?.sequence } == [0, nil] && frames[0].missing.total == 0)
    #expect(frames[0].layers.map(\.isStale) == [false, true])
    await source.stop()
  }

  /// A picture for which there is no memory counts as such, and the next picture reports it.
  @Test func withoutMemoryAPictureIsLost() async throws {
    let calls = Atomic(0)
    let memory = FrameMemory(
      allocate: {
        guard calls.wrappingAdd(1, ordering: .relaxed).oldValue > 0 else { return nil }
        return FrameMemory.Slab(base: .allocate(byteCount: $0, alignment: 4096), capacity: $0)
      }, free: { UnsafeMutableRawPointer(bitPattern: $0.base)!.deallocate() })
    let source = try start(pool: FramePool(budget: 1 << 20, memory: memory))
    tick(0)
    tick(1)
    let frames = try await composed(1)
    #expect(frames[0].sequence == 1 && frames[0].missing == DropCounts(outOfBuffers: 1))
    await source.stop()
  }

  @Test func aFirstLayerWithoutFramesIsAStall() async throws {
    let source = try start(patience: StallPatience(betweenFrames: 1, firstFrame: 1), rate: 240)
    let ends = try await sink.ends.wait(count: 1)
    #expect(ends[0].reason == .deviceNotResponding && ends[0].metadata["input"] == "a")
    await source.stop()
    #expect(sink.ends.count == 1)
  }

  /// The error of a first layer that brings only damaged frames says so.
  @Test func aFirstLayerWithDamagedFramesIsAStallOfItsOwn() async throws {
    // The frame has to come within a second of the start, so it is made before.
    let damaged = CapturedFrame(
      frame: .fake(sequence: 0, at: 1_000_000_000, layout: .packed(.mjpeg, Self.size)!, pool: pool)!, input: "a",
      configRevision: 1)
    let source = try start(patience: StallPatience(betweenFrames: 1, firstFrame: 1), rate: 10)
    composition.receive(damaged)
    let ends = try await sink.ends.wait(count: 1)
    #expect(ends[0].metadata["damaged_pictures"] == "1" && ends[0].message.contains("damaged pictures (1)"))
    await source.stop()
  }

  /// A composition that waits does not stall, although one that began later and does not wait has. When the wait is
  /// over, it stalls as well.
  @Test func aCompositionThatWaitsIsNoStall() async throws {
    let patience = StallPatience(betweenFrames: 1, firstFrame: 1)
    composition.setWaiting(true)
    let waiting = try start(patience: patience, rate: 240)
    let others = RecordingSink()
    let other = try Composition(id: "other", layers: [.whole("a")]).start(
      waiting.format, patience: patience, pool: memory, sink: others)
    _ = try await others.ends.wait(count: 1)
    #expect(sink.ends.count == 0)
    composition.setWaiting(false)
    _ = try await sink.ends.wait(count: 1)
    await waiting.stop()
    await other.stop()
  }

  @Test func closingEndsTheSource() async throws {
    let source = try start()
    composition.close(CaptureError(.shuttingDown, "The daemon ends."))
    await source.stop()
    await (try start()).stop()
  }
}
