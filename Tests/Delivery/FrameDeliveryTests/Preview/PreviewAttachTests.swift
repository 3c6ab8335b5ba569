import CaptureCore
import CaptureTestKit
import Imaging
import OverlayDrawing
import SystemClocks
import Testing

@testable import FrameDelivery

/// What a reader gets at once, and how pictures fit its messages.
/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct PreviewAttachTests {
  @Test func theNewestFrameComesAtOnce() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2)
    let raw = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let first = try await raw.nextPicture()
    #expect(first.sequence == 2 && first.dropped == DropCounts())
    let jpeg = try stage.output.attach(PreviewRequest())
    #expect(try await jpeg.nextPicture().sequence == 2)
    // The same encoding again: what is encoded already.
    let again = try stage.output.attach(PreviewRequest())
    #expect(try await again.nextPicture().sequence == 2)
    #expect(stage.output.encodeCount == 1)
    stage.capture(3)
    #expect(try await raw.nextPicture().dropped == DropCounts())
  }

  @Test("D3") func aDamagedFrameIsNotTheFirst() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2).buffer.markDamaged()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(3)
    let first = try await reader.nextPicture()
    #expect(first.sequence == 3 && first.dropped == DropCounts())
  }

  @Test func oldFramesAreNotSent() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2)
    stage.time.now = .epoch + 4 * PreviewStage.period
    let inTime = try stage.output.attach(PreviewRequest(encoding: .nv12))
    #expect(try await inTime.nextPicture().sequence == 2)
    stage.time.now = .epoch + 4 * PreviewStage.period + 1
    let tooLate = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(5)
    let picture = try await tooLate.nextPicture()
    #expect(picture.sequence == 5 && picture.dropped == DropCounts())
  }

  @Test(arguments: [PreviewEncoding.nv12, .jpeg], [false, true])
  func theNewestComesAtOnceWhereFramesAreLeftOut(_ encoding: PreviewEncoding, _ isWatched: Bool) async throws {
    let stage = try await PreviewStage()
    let other = isWatched ? try stage.output.attach(PreviewRequest(encoding: encoding)) : nil
    // Every fifth is given to outputs; the ring has the others too, and not those before.
    for sequence in UInt64(1)...9 { stage.capture(sequence, delivers: sequence % 5 == 1) }
    stage.context.dropFrames(keeping: 1)
    while let other, try await other.nextPicture().sequence < 6 {}
    let reader = try stage.output.attach(PreviewRequest(encoding: encoding))
    let picture = try await reader.nextPicture()
    #expect(picture.sequence == 6 && picture.dropped == DropCounts())

    // Two periods of this preview, not of the camera.
    stage.time.now = .epoch + 16 * PreviewStage.period
    #expect(try await stage.output.attach(PreviewRequest(encoding: encoding)).nextPicture().sequence == 6)
    stage.time.now = stage.time.now + 1
    let tooLate = try stage.output.attach(PreviewRequest(encoding: encoding))
    stage.capture(21)
    let next = try await tooLate.nextPicture()
    #expect(next.sequence == 21 && next.dropped == DropCounts())
  }

  @Test func nothingIsSentAtOnceOfAnotherTurn() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.change { $0.connection = Connection(orientation: Orientation(rotation: .quarter)) }
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(2)
    #expect(try await reader.nextPicture().sequence == 2)
  }

  @Test func anOutputAddedToARunningSessionStartsWithTheRing() async throws {
    let stage = try await PreviewStage()
    stage.capture(1, delivers: false)
    stage.capture(2, delivers: false)
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    #expect(try await reader.nextPicture().sequence == 2)
    // The capture thread comes with the very frame a moment later.
    stage.output.receive(try #require(stage.context.history.newest))
    stage.capture(3)
    let next = try await reader.nextPicture()
    #expect(next.sequence == 3 && next.dropped == DropCounts())
  }

  @Test(
    "C5: before it has started a reader gets the status alone", arguments: [PreviewEncoding.nv12, .jpeg], [false, true])
  func nothingIsSentAtOnceBeforePreparation(_ encoding: PreviewEncoding, _ delivers: Bool) async throws {
    let stage = try await PreviewStage(prepared: false)
    // Its encoder is made beforehand all the same.
    stage.change { $0.expectedLayout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))! }
    stage.capture(1, delivers: delivers)
    let reader = try stage.output.attach(PreviewRequest(encoding: encoding))
    let areFrames = Recorder<Bool>()
    let ask = reader.asking { event in
      if case .success(.frame) = event { areFrames.append(true) } else { areFrames.append(false) }
    }
    // What waits is told at once: the status, and nothing after it.
    ask()
    ask()
    #expect(areFrames.all == [false])
    stage.capture(2, delivers: delivers)
    try await stage.output.prepare()
    try await areFrames.wait(count: 2)
    #expect(areFrames.all == [false, false], "that it shows the camera now")
    stage.capture(3)
    #expect(try await reader.nextPicture().sequence == 3)
  }

  @Test func aFrameOnItsWayIsNotSentTwice() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2, delivers: false)
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.output.receive(try #require(stage.context.history.newest))
    #expect(try await reader.nextPicture().sequence == 2)
    stage.capture(3)
    let next = try await reader.nextPicture()
    #expect(next.sequence == 3 && next.dropped == DropCounts())
  }

  @Test func camerasJPEGTooLargeForTheMessageIsScaled() async throws {
    let encoder = FakeEncoder { key in key.size.pixelCount }
    let stage = try await PreviewStage(encoder: encoder)
    let large = FrameLayout.packed(.mjpeg, Size(width: 640, height: 360))!
    let small = try stage.output.attach(PreviewRequest(maxMessageBytes: 64 << 10))
    let wide = try stage.output.attach(PreviewRequest())
    let frame = stage.capture(1, layout: large, byteCount: 200_000)
    #expect(try await wide.nextPicture().picture.buffer === frame.buffer)
    // The very frame that did not fit is encoded anew, until it fits.
    let picture = try await small.nextPicture()
    #expect(picture.sequence == 1 && picture.dropped == DropCounts())
    #expect(picture.picture.buffer.count <= 63 << 10)
    let (size, encodes) = (picture.picture.layout.size, stage.output.encodeCount)
    #expect(abs(size.width * 9 - size.height * 16) <= 16)
    // Kept there, though this one would fit.
    stage.capture(2, layout: large, byteCount: 1000)
    #expect(try await small.nextPicture().picture.layout.size == size)
    #expect(stage.output.encodeCount == encodes + 1)
  }

  @Test func encodedPicturesTooLargeAreScaledForThatReaderOnly() async throws {
    let encoder = FakeEncoder { key in key.size.pixelCount / 2 }
    let stage = try await PreviewStage(encoder: encoder)
    let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!
    let small = try stage.output.attach(PreviewRequest(maxMessageBytes: 64 << 10))
    let wide = try stage.output.attach(PreviewRequest())
    stage.capture(1, layout: layout)
    #expect(try await wide.nextPicture().picture.layout.size == layout.size)
    let picture = try await small.nextPicture()
    #expect(picture.sequence == 1 && picture.picture.buffer.count <= 63 << 10)
  }

  @Test func acknowledgementsReachTheReaderByToken() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12, maxUnacknowledgedFrames: 1))
    stage.capture(1)
    #expect(try await reader.nextPicture().sequence == 1)
    stage.capture(2)
    stage.capture(3)
    let next = Task { try await reader.nextPicture() }
    try stage.directory.acknowledge(token: reader.token, sequence: 1)
    let picture = try await next.value
    #expect(picture.sequence == 3 && picture.dropped == DropCounts(late: 1))
    reader.detach()
    let error = #expect(throws: CaptureError.self) {
      try stage.directory.acknowledge(token: reader.token, sequence: 3)
    }
    #expect(error?.reason == .streamNotFound)
  }

  @Test(arguments: [true, false]) func allButTheFrameIsThereBeforeTheFirst(isReaderFirst: Bool) async throws {
    let stage = try await PreviewStage(prepared: false)
    stage.change { $0.status = SessionStatus(.starting) }
    let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!
    if !isReaderFirst { stage.change { $0.expectedLayout = layout } }
    let reader = try stage.output.attach(PreviewRequest())
    if isReaderFirst { stage.change { $0.expectedLayout = layout } }
    try await stage.encoder.made.wait(count: 1)
    #expect(try await reader.nextStatus().size == layout.size)

    try await stage.output.prepare()
    stage.capture(1, layout: layout)
    guard case .frame(let picture) = try await reader.next() else { return #expect(Bool(false), "one more status") }
    #expect(picture.sequence == 1 && stage.encoder.made.count == 1)
  }

  @Test func anotherLayoutThanExpectedIsTold() async throws {
    let stage = try await PreviewStage()
    let expected = FrameLayout.packed(.nv12, Size(width: 32, height: 18))!
    stage.change { $0.expectedLayout = expected }
    let reader = try stage.output.attach(PreviewRequest())
    #expect(try await reader.nextStatus().size == Size(width: 32, height: 18))
    stage.capture(1)
    #expect(try await reader.nextStatus().size == Size(width: 64, height: 36))
    #expect(try await reader.nextPicture().picture.layout.size == Size(width: 64, height: 36))
  }

  @Test(arguments: [SessionStatus(.stopped), SessionStatus(.interrupted, interruption: .deviceDisconnected)])
  func whatChangesWhileNoFramesComeIsToldAtOnce(status: SessionStatus) async throws {
    let stage = try await PreviewStage()
    let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!
    stage.change { $0.status = status }
    stage.change { $0.expectedLayout = layout }
    let reader = try stage.output.attach(PreviewRequest())
    #expect(try await reader.nextStatus().size == Size(width: 64, height: 36))

    stage.change { $0.connection = Connection(orientation: Orientation(rotation: .quarter)) }
    stage.change { $0.expectedLayout = layout }
    #expect(try await reader.nextStatus().size == Size(width: 36, height: 64))
    stage.change { $0.limits = PictureLimits(side: 32, quality: 50) }
    let limited = try await reader.nextStatus()
    #expect(limited.size == Size(width: 18, height: 32) && limited.quality == 50)

    stage.change { $0.status = SessionStatus(.running) }
    #expect(try await reader.nextStatus().session == SessionStatus(.running))
    stage.capture(1, layout: layout)
    guard case .frame(let picture) = try await reader.next() else { return #expect(Bool(false), "one more status") }
    #expect(picture.picture.layout.size == Size(width: 18, height: 32))
  }

  @Test(arguments: [SessionStatus(.stopped), SessionStatus(.interrupted, interruption: .systemPressure)])
  func whatChangedAfterTheLastFrameIsToldWithTheEnd(status: SessionStatus) async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest())
    stage.capture(1)
    #expect(try await reader.nextPicture().picture.layout.size == Size(width: 64, height: 36))
    stage.change { $0.limits = PictureLimits(side: 32, quality: 50) }
    stage.change { $0.status = status }
    let told = try await reader.nextStatus()
    #expect(told.session == status && told.size == Size(width: 32, height: 18) && told.quality == 50)

    stage.change { $0.status = SessionStatus(.running) }
    #expect(try await reader.nextStatus().session == SessionStatus(.running))
    stage.capture(2)
    guard case .frame(let picture) = try await reader.next() else { return #expect(Bool(false), "one more status") }
    #expect(picture.picture.layout.size == Size(width: 32, height: 18))
  }

  @Test func withoutACameraThereIsNoSize() async throws {
    let stage = try await PreviewStage()
    stage.change { $0.status = SessionStatus(.stopped) }
    let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!
    stage.change { $0.expectedLayout = layout }
    let reader = try stage.output.attach(PreviewRequest())
    #expect(try await reader.nextStatus().size == Size(width: 64, height: 36))

    stage.change { $0.expectedLayout = nil }
    let status = try await reader.nextStatus()
    #expect(status.size == nil && status.quality == 0)
    #expect(try await stage.output.attach(PreviewRequest()).nextStatus().size == nil)
    try await stage.encoder.ended.wait(count: 1)
  }

  @Test func whatIsDrawnOnIsNoLongerTheCamerasOwn() async throws {
    let stage = try await PreviewStage()
    stage.change { $0.status = SessionStatus(.stopped) }
    let layout = FrameLayout.packed(.mjpeg, Size(width: 64, height: 36))!
    stage.change { $0.expectedLayout = layout }
    let reader = try stage.output.attach(PreviewRequest())
    let own = try await reader.nextStatus()
    #expect(own.size == layout.size && own.quality == 0 && stage.encoder.made.count == 0)
    try stage.output.setOverlay(Overlay([.text(.init("drawn", x: 0, y: 0))]))
    stage.change { $0.expectedLayout = layout }
    let drawn = try await reader.nextStatus()
    #expect(drawn.size == layout.size && drawn.quality == 80)
    try await stage.encoder.made.wait(count: 1)
  }

  @Test func cancellationEndsTheWaitOnly() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    _ = try await reader.nextStatus()
    let waiting = Task { try await reader.next() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    stage.capture(1)
    #expect(try await reader.nextPicture().sequence == 1)
  }
}
