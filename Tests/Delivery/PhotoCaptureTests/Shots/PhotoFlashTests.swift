import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import SystemClocks
import Testing

@testable import PhotoCapture

/// Photos with a flash, and the decision whether an automatic flash fires. The time limit is for a test whose awaited
/// event never comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoFlashTests {
  /// A flash lights a single frame, so the photo is made of that frame alone, whatever quality the request asks for.
  @Test func aFlashPhotoIsOneFrame() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { step in ShotConditions(earliest: 0, isFlashOn: step.flash) }
    let capture = try stage.output.capture(PhotoStage.shot(quality: .quality) { $0.exposure.flashMode = .on })
    await stage.captureUntilOver()
    let photo = try await capture.photo()
    #expect(photo.sensor.isFlashOn == true)
    #expect((photo.quality, photo.fusedFrameCount) == (.speed, 1))
  }

  /// When the flash goes out before the camera takes a frame, the capture fails.
  @Test func aFlashThatWentOutFailsTheCapture() async throws {
    let stage = try await PhotoStage.forShots()
    stage.context.onShot { _ in ShotConditions(earliest: 0, latest: 1, isFlashOn: true) }
    let capture = try stage.output.capture(PhotoStage.shot { $0.exposure.flashMode = .on })
    await stage.captureUntilOver()
    let error = await #expect(throws: CaptureError.self) { try await capture.photo() }
    #expect(error?.reason == .operationInterrupted)
  }

  @Test("H3: an automatic flash fires when the scene is dark") func automaticFlash() async throws {
    for (luma, isLit) in [(UInt8(20), true), (200, false)] {
      let stage = try await PhotoStage.forShots()
      stage.context.onShot { step in ShotConditions(earliest: 0, isFlashOn: step.flash) }
      // The number of the frame is also its brightness.
      stage.capture(UInt64(luma))
      let asked = PhotoStage.shot {
        $0.exposure.flashMode = .auto
        $0.arrival = .epoch + UInt64(luma) * PhotoStage.period
      }
      let capture = try stage.output.capture(try await stage.output.decidingFlash(asked))
      if isLit { await stage.captureUntilOver(from: UInt64(luma) + 1) }
      let photo = try await capture.photo()
      #expect(photo.selection.zeroShutterLagUsed == !isLit)
      #expect(photo.sensor.isFlashOn == (isLit ? true : nil))
    }
  }

  @Test("H3: an automatic flash ignores frames that another flash lit") func litFramesAreIgnored() async throws {
    let stage = try await PhotoStage.forShots()
    // The number of a frame is also its brightness.
    for sequence in UInt64(30)...32 { stage.capture(sequence) }
    stage.context.shotEnd = .epoch + 100 * PhotoStage.period
    let lit = try stage.output.capture(PhotoStage.shot { $0.exposure.flashMode = .on })
    while stage.output.queue.read({ !$0.shots.hasStep }) { await Task.yield() }
    for sequence in UInt64(41)...46 { stage.capture(sequence) }
    _ = try await lit.photo()
    let asked = PhotoStage.shot { $0.exposure.flashMode = .auto }
    #expect(try await stage.output.decidingFlash(asked).exposure.flashMode == .on)
    stage.context.dropFrames(keeping: 2)
    #expect(
      try await stage.output.decidingFlash(asked).exposure.flashMode == .on,
      "without a frame to look at, the last decision holds")
    stage.capture(150)
    #expect(try await stage.output.decidingFlash(asked).exposure.flashMode == .off)
  }

  @Test("H3: an automatic flash decides by compressed frames too, once for all who ask at the same time")
  func compressedFramesAreMeasured() async throws {
    let stage = try await PhotoStage.forShots()
    let pool = FramePool(budget: 16 << 20)
    let layout = try #require(FrameLayout.packed(.yuv420, Size(width: 64, height: 64), range: .full))
    for (sequence, luma, mode) in [(UInt64(1), UInt8(20), FlashMode.on), (2, 200, .off)] {
      let memory = pool.take(layout.byteCount)!
      _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: luma)
      let picture = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
      let jpeg = try JPEGEncoder(pool: pool).encode(picture, quality: 90)
      let time = FrameTime(monotonic: .epoch + sequence * PhotoStage.period, wall: 0, source: .startOfExposure)
      stage.context.keep(
        Frame(
          streamID: 1, sequence: sequence, time: time, layout: jpeg.layout, buffer: jpeg.buffer, missing: DropCounts()))
      let asked = PhotoStage.shot { $0.exposure.flashMode = .auto }
      let answers = try await withThrowingTaskGroup(of: FlashMode.self) { group in
        for _ in 1...20 { group.addTask { try await stage.output.decidingFlash(asked).exposure.flashMode } }
        return try await group.reduce(into: Set<FlashMode>()) { $0.insert($1) }
      }
      #expect(answers == [mode])
    }
  }

  @Test("H3: a cancelled request gets no decision") func aCancelledRequestGetsNoDecision() async throws {
    let stage = try await PhotoStage.forShots()
    let asked = PhotoStage.shot { $0.exposure.flashMode = .auto }
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.output.decidingFlash(asked)
    }
    await #expect(throws: CancellationError.self) { try await asking.value }
  }
}
