import CaptureCore
import CaptureTestKit
import Imaging
import OverlayDrawing
import SystemClocks
import Testing

@testable import FrameDelivery

/// What a new reader gets at once, and how pictures fit the reader's messages. The time limit is for a test whose
/// awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct PreviewAttachTests {
  /// A new reader does not wait for the next frame of the camera.
  @Test func theNewestFrameIsSentAtOnce() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2)
    let raw = try stage.output.attach(PreviewRequest(encoding: .nv12))
    try await raw.expectPicture(2)
    let jpeg = try stage.output.attach(PreviewRequest())
    #expect(try await jpeg.nextPicture().sequence == 2)
    // A further reader of the same encoding gets the picture that is encoded already.
    let again = try stage.output.attach(PreviewRequest())
    #expect(try await again.nextPicture().sequence == 2)
    #expect(stage.output.encodeCount == 1)
    stage.capture(3)
    #expect(try await raw.nextPicture().dropped == DropCounts())
  }

  /// A new reader does not begin with a frame that is known to be damaged; the frame does not count as dropped either.
  @Test("D3") func aDamagedFrameIsNotSentAtOnce() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2).buffer.markDamaged()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(3)
    try await reader.expectPicture(3)
  }

  /// A frame that is more than two periods old would show the past.
  @Test func aFrameOlderThanTwoPeriodsIsNotSentAtOnce() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2)
    stage.time.now = .epoch + 4 * PreviewStage.period
    let inTime = try stage.output.attach(PreviewRequest(encoding: .nv12))
    #expect(try await inTime.nextPicture().sequence == 2)
    stage.time.now = .epoch + 4 * PreviewStage.period + 1
    let tooLate = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(5)
    try await tooLate.expectPicture(5)
  }

  /// Where outputs get only some of the camera's frames, a new reader begins with the newest frame that the preview
  /// got, whether or not the preview has another reader.
  @Test(arguments: [PreviewEncoding.nv12, .jpeg], [false, true])
  func theNewestFrameIsSentAtOnceWhereFramesAreSkipped(_ encoding: PreviewEncoding, _ isWatched: Bool) async throws {
    let stage = try await PreviewStage()
    let other = isWatched ? try stage.output.attach(PreviewRequest(encoding: encoding)) : nil
    // Outputs get every fifth frame. The ring has the other frames too, and keeps only the newest.
    for sequence in UInt64(1)...9 { stage.capture(sequence, delivers: sequence % 5 == 1) }
    stage.context.dropFrames(keeping: 1)
    while let other, try await other.nextPicture().sequence < 6 {}
    let reader = try stage.output.attach(PreviewRequest(encoding: encoding))
    try await reader.expectPicture(6)

    // Two periods of this preview count, not two of the camera.
    stage.time.now = .epoch + 16 * PreviewStage.period
    #expect(try await stage.output.attach(PreviewRequest(encoding: encoding)).nextPicture().sequence == 6)
    stage.time.now = stage.time.now + 1
    let tooLate = try stage.output.attach(PreviewRequest(encoding: encoding))
    stage.capture(21)
    try await tooLate.expectPicture(21)
  }

  /// A frame that came before the connection turned has the former orientation.
  @Test func aFrameOfAFormerOrientationIsNotSentAtOnce() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.change { $0.connection = Connection(orientation: Orientation(rotation: .quarter)) }
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(2)
    #expect(try await reader.nextPicture().sequence == 2)
  }

  /// An output that was added to a running session has had no frame yet, so the reader begins with the newest frame of
  /// the ring.
  @Test func aReaderOfANewOutputBeginsWithTheRing() async throws {
    let stage = try await PreviewStage()
    stage.capture(1, delivers: false)
    stage.capture(2, delivers: false)
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    #expect(try await reader.nextPicture().sequence == 2)
    // A moment later, the capture thread delivers the same frame.
    stage.output.receive(try #require(stage.context.history.newest))
    stage.capture(3)
    try await reader.expectPicture(3)
  }

  @Test(
    "C5: before the output starts a reader gets only a status", arguments: [PreviewEncoding.nv12, .jpeg], [false, true])
  func nothingIsSentAtOnceBeforePreparation(_ encoding: PreviewEncoding, _ delivers: Bool) async throws {
    let stage = try await PreviewStage(prepared: false)
    // The encoder is made before the output is prepared all the same.
    stage.change { $0.expectedLayout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))! }
    stage.capture(1, delivers: delivers)
    let reader = try stage.output.attach(PreviewRequest(encoding: encoding))
    let areFrames = Recorder<Bool>()
    let ask = reader.asking { event in
      if case .success(.frame) = event { areFrames.append(true) } else { areFrames.append(false) }
    }
    // An event that waits is delivered at once: the status is, and nothing after the status.
    ask()
    ask()
    #expect(areFrames.all == [false])
    stage.capture(2, delivers: delivers)
    try await stage.output.prepare()
    try await areFrames.wait(count: 2)
    #expect(areFrames.all == [false, false], "the second status tells that frames come")
    stage.capture(3)
    #expect(try await reader.nextPicture().sequence == 3)
  }

  /// A new reader may get the newest frame from the ring before the capture thread delivers that frame.
  @Test func aFrameThatIsDeliveredLaterIsNotSentTwice() async throws {
    let stage = try await PreviewStage()
    stage.capture(1)
    stage.capture(2, delivers: false)
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.output.receive(try #require(stage.context.history.newest))
    #expect(try await reader.nextPicture().sequence == 2)
    stage.capture(3)
    try await reader.expectPicture(3)
  }

  /// A reader with small messages gets the camera's JPEG in a smaller size, and other readers go on getting the
  /// camera's own bytes.
  @Test func aCamerasJPEGTooLargeForTheMessageIsScaled() async throws {
    let encoder = FakeEncoder { key in key.size.pixelCount }
    let stage = try await PreviewStage(encoder: encoder)
    let large = FrameLayout.packed(.mjpeg, Size(width: 640, height: 360))!
    let small = try stage.output.attach(PreviewRequest(maxMessageBytes: 64 << 10))
    let wide = try stage.output.attach(PreviewRequest())
    let frame = stage.capture(1, layout: large, byteCount: 200_000)
    #expect(try await wide.nextPicture().picture.buffer === frame.buffer)
    // The frame that did not fit is itself encoded anew, until it fits.
    let picture = try await small.nextPicture()
    #expect(picture.sequence == 1 && picture.dropped == DropCounts())
    #expect(picture.picture.buffer.count <= 63 << 10)
    let (size, encodes) = (picture.picture.layout.size, stage.output.encodeCount)
    #expect(abs(size.width * 9 - size.height * 16) <= 16)
    // The reader keeps this size, although the next frame would fit in full size.
    stage.capture(2, layout: large, byteCount: 1000)
    #expect(try await small.nextPicture().picture.layout.size == size)
    #expect(stage.output.encodeCount == encodes + 1)
  }

  /// Other readers of the same request go on getting the full size.
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

  /// A reader with one unacknowledged frame gets the next one after an acknowledgement under the reader's token.
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

  /// Programs such as FFmpeg drop pictures of a video that names a lower rate than it has.
  @Test func anEncoderIsToldTheRateOfItsPictures() async throws {
    // The gate keeps the first picture with the encoder until the rate has changed.
    let stage = try await PreviewStage(encoder: FakeEncoder(gated: true))
    stage.change {
      $0.expectedLayout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!
      $0.expectedFrameRate = Rational(60, 1)
    }
    let reader = try stage.output.attach(PreviewRequest(encoding: .h264))
    stage.capture(1)
    #expect(try await stage.encoder.rates.wait(count: 1) == [Rational(60, 1)])
    // A commit gives the camera another rate, which the next key frame names.
    stage.change { $0.expectedFrameRate = Rational(15, 1) }
    stage.encoder.pass()
    stage.capture(100)
    stage.encoder.pass()
    #expect(try await stage.encoder.rates.wait(count: 2).last == Rational(15, 1))
    #expect(try await stage.encoder.keyFrames.wait(count: 2) == [1, 100])
    #expect(FramePace(maxRate: Rational(15, 1), every: 4).rate(of: Rational(60, 1)) == Rational(15, 4))
    #expect(FramePace(every: 2).rate(of: Rational(1, .max)) == Rational(1, .max))
    withExtendedLifetime(reader) {}
  }

  /// Once the layout of the camera's frames is known, the encoder is made and the status tells the size, so that
  /// neither delays the first frame. The argument says whether the reader comes before the layout is known.
  @Test(arguments: [true, false]) func encoderAndStatusAreReadyBeforeTheFirstFrame(isReaderFirst: Bool) async throws {
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

  /// When frames have another layout than expected, a second status tells the reader.
  @Test func aLayoutOtherThanExpectedIsTold() async throws {
    let stage = try await PreviewStage()
    let expected = FrameLayout.packed(.nv12, Size(width: 32, height: 18))!
    stage.change { $0.expectedLayout = expected }
    let reader = try stage.output.attach(PreviewRequest())
    #expect(try await reader.nextStatus().size == Size(width: 32, height: 18))
    stage.capture(1)
    #expect(try await reader.nextStatus().size == Size(width: 64, height: 36))
    #expect(try await reader.nextPicture().picture.layout.size == Size(width: 64, height: 36))
  }

  /// While no frames come, a status tells the size and the quality of the next picture as soon as they change. The
  /// first frame then follows without another status.
  @Test(arguments: [SessionStatus(.stopped), SessionStatus(.interrupted, interruption: .deviceDisconnected)])
  func changesAreToldAtOnceWhileNoFramesCome(status: SessionStatus) async throws {
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

  /// A commit of a stopped session changes the connection first and the expected layout at its end. The reader gets one
  /// status with both. A status in between would show pictures that never come, and a commit that fails leaves none.
  @Test func aCommitGivesOneStatus() async throws {
    let stage = try await PreviewStage()
    let (wide, small) = (Size(width: 64, height: 36), Size(width: 32, height: 18))
    stage.change { $0.status = SessionStatus(.stopped) }
    stage.change { $0.expectedLayout = FrameLayout.packed(.nv12, wide)! }
    let reader = try stage.output.attach(PreviewRequest())
    let sizes = Recorder<Size?>()
    let ask = reader.asking { event in
      if case .success(.status(let status)) = event { sizes.append(status.size) }
    }
    ask()
    ask()
    #expect(sizes.all == [wide])
    stage.change { $0.connection = Connection(orientation: Orientation(rotation: .quarter)) }
    #expect(sizes.all == [wide], "the commit may still fail")
    stage.change { $0.expectedLayout = FrameLayout.packed(.nv12, small)! }
    #expect(sizes.all == [wide, Size(width: 18, height: 32)])

    ask()
    stage.change { $0.connection = Connection() }
    stage.change { $0.connection = Connection(orientation: Orientation(rotation: .quarter)) }
    stage.change { _ in }
    #expect(sizes.all.count == 2, "nothing is different after a commit that failed")
  }

  /// A change after the last frame is told with the status that ends the frames, not with the first frame of the next
  /// start.
  @Test(arguments: [SessionStatus(.stopped), SessionStatus(.interrupted, interruption: .systemPressure)])
  func changesAfterTheLastFrameAreToldWithTheEnd(status: SessionStatus) async throws {
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

  /// When the session has no camera any more, the status has neither a size nor a quality, and the encoder ends.
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

  /// A camera's own JPEG passes through and has no quality in the status. Once an overlay is drawn, the preview encodes
  /// pictures and the status has their quality.
  @Test func aPictureThatIsDrawnOnIsEncoded() async throws {
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

  /// Cancelling the task that waits for the next event loses no frame.
  @Test func cancellationEndsOnlyTheWait() async throws {
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
