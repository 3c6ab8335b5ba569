import CaptureCore
import CaptureTestKit
import Imaging
import Locking
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// Damaged frames of a camera that is set for a capture, and before the decision about a flash. The time limit is for a
/// test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct DamagedShotTests {
  @Test("H3: an automatic flash decides by an intact frame") func flashDecidesByAnIntactFrame() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.keep(try Self.jpeg(1, luma: 20))
    stage.context.keep(try Self.jpeg(2, luma: 200, isCut: true))
    let asked = PhotoStage.shot { $0.exposure.flashMode = .auto }
    #expect(try await stage.output.decidingFlash(asked).exposure.flashMode == .on)
  }

  @Test("H3: without a thread to decode the frame, the last decision about the flash holds")
  func flashIsNotDecidedByItsCaller() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.keep(try Self.jpeg(1, luma: 20))
    stage.hasThreads.value.store(false, ordering: .relaxed)
    let asked = PhotoStage.shot { $0.exposure.flashMode = .auto }
    #expect(try await stage.output.decidingFlash(asked).exposure.flashMode == .off)
  }

  @Test("H8: a damaged step of a bracket is taken again while the camera is set for it", arguments: [false, true])
  func bracketIsRetaken(merges: Bool) async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(
      PhotoStage.shot {
        $0.exposure.bracket = [.bias(-1), .bias(0), .bias(1)]
        $0.exposure.mergesBracket = merges
      })
    // The test sends a frame only while the output waits for one, so that every other frame that the output checks is
    // damaged.
    var sequence: UInt64 = 1
    while stage.context.shots.count == 0 {
      guard stage.output.queue.read({ $0.shots.hasStep }) else {
        await Task.yield()
        continue
      }
      stage.context.keep(try Self.jpeg(sequence, luma: 100, isCut: sequence % 2 == 0))
      if let newest = stage.context.history.newest { stage.output.receive(newest) }
      sequence += 1
      await Task.yield()
    }
    var photos: [Photo] = []
    for await event in capture.events {
      if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { photos.append(photo) }
      if case .didFinishCapture(let error) = event.kind { #expect(error == nil) }
    }
    #expect(photos.count == (merges ? 1 : 3))
    #expect(photos.allSatisfy { $0.frame.sequence % 2 == 1 })
    #expect(stage.context.shots.count == 1, "the camera is set back once, after the last step")
  }

  @Test("H8: the error of a bracket names its damaged frame") func bracketNamesItsDamagedFrame() async throws {
    let stage = try await PhotoStage.forShots(gated: true)
    let capture = try stage.output.capture(PhotoStage.shot { $0.exposure.bracket = [.bias(-1), .bias(1)] })
    await stage.captureUntilOver()
    try await stage.encoder.begun.wait(count: 1)
    let taken = try stage.output.events.entries(after: 0).compactMap { entry -> UInt64? in
      guard case .didCapturePhoto(let sequence, _, _) = entry.payload.kind else { return nil }
      return sequence
    }
    #expect(taken.count == 2 && taken[0] != taken[1])
    stage.encoder.damage(UInt8(truncatingIfNeeded: taken[1]))
    for _ in taken { stage.encoder.pass() }
    guard case .didFinishCapture(let error?) = await capture.all().last else {
      return #expect(Bool(false), "the capture must fail")
    }
    #expect(error.reason == .frameDamaged)
    #expect(error.metadata == ["sequence": "\(taken[1])", "stream_id": "1"])
  }

  @Test("H8: a bracket fails when the camera brings only damaged frames") func bracketEnds() async throws {
    let stage = try await PhotoStage.forShots()
    let capture = try stage.output.capture(PhotoStage.shot { $0.exposure.bracket = [.bias(-1), .bias(1)] })
    var sequence: UInt64 = 1
    while stage.context.shots.count == 0 {
      stage.output.receive(stage.context.keep(try Self.jpeg(sequence, luma: 100, isCut: true)))
      sequence += 1
      await Task.yield()
    }
    #expect(await capture.all().last?.name == "end: frameDamaged")
  }

  /// A compressed frame. When it is cut, a part of its data is missing between its header and its end.
  private static func jpeg(_ sequence: UInt64, luma: UInt8, isCut: Bool = false) throws -> Frame {
    let pool = FramePool(budget: 1 << 20)
    let layout = try #require(FrameLayout.packed(.yuv420, Size(width: 64, height: 64), range: .full))
    let memory = pool.take(layout.byteCount)!
    _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: luma)
    let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    let whole = try JPEGEncoder(pool: pool).encode(picture, quality: 90).buffer.withUnsafeBytes { Array($0) }
    let bytes = isCut ? Array(whole.dropLast(10) + whole.suffix(2)) : whole
    let buffer = pool.take(bytes.count)!
    buffer.bytes.copyBytes(from: bytes)
    return Frame(
      streamID: 1, sequence: sequence,
      time: FrameTime(monotonic: .epoch + sequence * PhotoStage.period, wall: 0, source: .startOfExposure),
      layout: .packed(.mjpeg, layout.size)!, buffer: buffer.freeze(count: bytes.count))
  }
}
