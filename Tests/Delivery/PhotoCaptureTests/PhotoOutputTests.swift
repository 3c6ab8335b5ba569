import CaptureCore
import CaptureTestKit
import Imaging
import Locking
import Testing

@testable import PhotoCapture

/// A photo output from the request to the photo or the error. The time limit is for a test whose awaited event never
/// comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoOutputTests {
  /// The events of a capture whose photo is made, in their order.
  static let order = ["willBegin", "willCapture", "didCapture", "photo", "end"]

  /// A photo of the ring shows the newest frame before the request. Its events come in order, and the store has the
  /// same memory as the event.
  @Test func eventsComeInOrder() async throws {
    let stage = try await PhotoStage()
    let frame = stage.capture(3)
    let capture = try stage.output.capture(PhotoStage.request("mine", arrival: 3.5))
    let events = await capture.all()
    #expect(events.map(\.name) == Self.order)
    guard case .didCapturePhoto(3, 1, "camera") = events[2],
      case .didFinishProcessingPhoto(.success(let photo)) = events[3]
    else { return #expect(Bool(false), "the third event must be about frame 3, and the fourth must have the photo") }
    #expect(
      photo.frame.sequence == 3 && photo.frame.streamID == 1 && photo.frame.time == frame.time
        && photo.frame.configRevision == 7)
    #expect(photo.selection.zeroShutterLagUsed && photo.selection.match == .exact)
    #expect(photo.selection.shutterLagNanoseconds == -Int64(PhotoStage.period / 2))
    #expect(try stage.store.photo("mine").picture.buffer === photo.picture.buffer)
  }

  /// A change of the connection after the request does not turn a photo that has its frame.
  @Test func aPhotoIsTurnedAsTheConnectionWasWhenItGotItsFrame() async throws {
    let stage = try await PhotoStage(gated: true)
    let sideways = Orientation(rotation: .quarter, isMirrored: true)
    stage.change { $0.connection = Connection(orientation: sideways) }
    let frame = stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    stage.change { $0.connection = Connection() }
    stage.encoder.pass()
    for await event in capture.events { #expect(event.resolved.size == sideways.turned(frame.layout.size)) }
    #expect(stage.encoder.orientations.all == [sideways])
  }

  /// Disabling the connection ends the capture that waits for a frame. The output then refuses requests until the
  /// connection is enabled again.
  @Test func aDisabledConnectionTakesNoPhotos() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    let waiting = try stage.output.capture(PhotoStage.request(arrival: 1))
    stage.change { $0.connection = Connection(isEnabled: false) }
    #expect(
      await waiting.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    let error = #expect(throws: CaptureError.self) { try stage.output.capture(PhotoStage.request(arrival: 1)) }
    #expect(error?.reason == .notSupportedInConfiguration)
    stage.change { $0.connection = Connection() }
    let next = try stage.output.capture(PhotoStage.request(arrival: 1))
    stage.capture(2)
    #expect(try await next.photo().frame.sequence == 2)
  }

  @Test("F1: readiness follows the connection of the output") func readinessFollowsTheConnection() async throws {
    let stage = try await PhotoStage()
    var updates = try stage.output.watchReadiness().makeAsyncIterator()
    #expect(try await updates.next() == .ready)
    stage.change { $0.connection = Connection(isEnabled: false) }
    #expect(try await updates.next() == .sessionNotRunning)
    stage.change { $0.connection = Connection() }
    #expect(try await updates.next() == .ready)
  }

  /// The limit on readers of capture events refuses only the reader above it, and a reader that leaves frees its place.
  @Test func watchersOfCapturesAreBounded() async throws {
    let stage = try await PhotoStage()
    func watch(_ count: Int) async throws {
      try await stage.output.watchingCaptures { if count > 1 { try await watch(count - 1) } }
    }
    try await watch(PhotoOutput.maxWatchers)
    let error = await #expect(throws: CaptureError.self) { try await watch(PhotoOutput.maxWatchers + 1) }
    #expect(error?.reason == .tooManyRequests)
    try await watch(1)
  }

  /// The output holds the frame at the request, so the photo shows it even when the ring has lost it before processing.
  @Test func theFrameIsHeldAtTheRequest() async throws {
    let stage = try await PhotoStage(gated: true)
    for sequence in UInt64(1)...5 { stage.capture(sequence) }
    let first = try stage.output.capture(PhotoStage.request("", .sequence(2, streamID: 1), arrival: 5))
    let second = try stage.output.capture(PhotoStage.request("", .sequence(3, streamID: 1), arrival: 5))
    // The ring loses both frames before a photo is processed.
    for sequence in UInt64(6)...9 { stage.capture(sequence) }
    stage.context.dropFrames(keeping: 1)
    stage.encoder.pass()
    stage.encoder.pass()
    #expect(try await first.photo().frame.sequence == 2)
    let photo = try await second.photo()
    #expect(photo.frame.sequence == 3 && photo.picture.buffer.withUnsafeBytes { $0[0] } == 3)
  }

  /// Photos are made in the order of their requests, here from the newest frame to the oldest.
  @Test func photosAreMadeInTheOrderOfTheirRequests() async throws {
    let stage = try await PhotoStage(gated: true)
    for sequence in UInt64(1)...20 { stage.capture(sequence) }
    let captures = try (UInt64(1)...20).reversed().map {
      try stage.output.capture(PhotoStage.request("", .sequence($0, streamID: 1), arrival: 20))
    }
    for _ in captures { stage.encoder.pass() }
    for capture in captures { _ = try await capture.photo() }
    #expect(stage.encoder.begun.all == (UInt8(1)...20).reversed())
  }

  /// When the session stops, a capture without a frame fails, and the capture behind it, which has its frame, goes on.
  @Test func aCaptureThatFailsDoesNotHoldUpTheNext() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    // The newest frame is too old for "now", so the first capture waits. The second capture has its frame.
    let waiting = try stage.output.capture(PhotoStage.request(arrival: 100))
    let named = try stage.output.capture(PhotoStage.request("", .sequence(1, streamID: 1), arrival: 100))
    stage.sessionBecomes(.stopping)
    #expect(
      await waiting.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    #expect(try await named.photo().frame.sequence == 1)
  }

  /// Captures that wait for processing hold only so many frames that the camera keeps enough memory. A capture beyond
  /// that holds no frame, and takes the newest one when its turn comes.
  @Test func waitingCapturesLeaveTheCameraItsMemory() async throws {
    let stage = try await PhotoStage(gated: true)
    let pool = FramePool(budget: 8 * 4096, kept: 4 * 4096)
    var captures: [AcceptedCapture] = []
    for sequence in UInt64(1)...3 {
      stage.capture(sequence, pool: pool)
      captures.append(try stage.output.capture(PhotoStage.request(arrival: Double(sequence))))
    }
    for _ in captures { stage.encoder.pass() }
    #expect(try await captures[0].photo().frame.sequence == 1)
    #expect(try await captures[1].photo().frame.sequence == 2)
    stage.capture(4, pool: pool)
    let late = try await captures[2].photo()
    #expect(!late.selection.zeroShutterLagUsed && late.frame.sequence >= 3)
  }

  /// An id that cannot be part of a resource name, or that is too long to keep, is refused.
  @Test(arguments: ["a/b", "a\nb", String(repeating: "a", count: 129), "a" + String(repeating: "\u{301}", count: 128)])
  func unusableIDsAreRefused(id: String) async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    let error = #expect(throws: CaptureError.self) { try stage.output.capture(PhotoStage.request(id, arrival: 1)) }
    #expect(error?.reason == .invalidArgument && error?.field == "settings.unique_id")
  }

  @Test func withoutZeroShutterLagACaptureWaitsForTheNextFrame() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1.5))
    #expect(stage.output.readiness == .notReadyWaitingForCapture)
    stage.capture(2)
    let photo = try await capture.photo()
    #expect(photo.frame.sequence == 2 && !photo.selection.zeroShutterLagUsed)
    #expect(photo.selection.shutterLagNanoseconds == Int64(PhotoStage.period / 2))
  }

  @Test("H5: a frame that the ring has before the output receives it is merged once")
  func aFrameFoundInTheRingIsMergedOnce() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false)
    let first = stage.capture(1, delivers: false)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 0.5, quality: .balanced))
    stage.output.receive(CapturedFrame(frame: first, input: "camera", configRevision: 7))
    for sequence in UInt64(2)...4 { stage.capture(sequence) }
    #expect(try await capture.photo().fusedFrameCount == 3)
    #expect(stage.processor.made.all.map(\.frames) == [[1, 2, 3]])
  }

  /// While the ring is empty, a capture takes the first frame that comes, whatever it asked for.
  @Test func withAnEmptyRingACaptureWaitsForTheFirstFrame() async throws {
    let stage = try await PhotoStage()
    let now = try stage.output.capture(PhotoStage.request(arrival: 4))
    let named = try stage.output.capture(PhotoStage.request("", .sequence(3, streamID: nil), arrival: 4))
    stage.capture(5)
    #expect(try await now.photo().frame.sequence == 5)
    let photo = try await named.photo()
    #expect(photo.frame.sequence == 5 && photo.selection.match == .nearest && !photo.selection.zeroShutterLagUsed)
  }

  /// A capture that waits for a frame fails when the session stops or is interrupted, and the store keeps its error.
  @Test(arguments: [SessionState.stopping, .interrupted]) func waitingEndsWithTheSession(state: SessionState)
    async throws
  {
    let stage = try await PhotoStage()
    let capture = try stage.output.capture(PhotoStage.request("a"))
    stage.sessionBecomes(state)
    #expect(
      await capture.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    let error = #expect(throws: CaptureError.self) { try stage.store.photo("a") }
    #expect(error?.reason == .operationInterrupted)
    #expect(stage.output.readiness == .sessionNotRunning)
  }

  /// The output refuses requests while the session does not run. The id of a refused request can be used again.
  @Test func sessionsThatDoNotRunTakeNoPhotos() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    for state in [SessionState.stopped, .starting, .stopping, .interrupted] {
      stage.sessionBecomes(state)
      let error = #expect(throws: CaptureError.self) { try stage.output.capture(PhotoStage.request("a", arrival: 1)) }
      #expect(error?.reason == .sessionNotRunning)
    }
    stage.sessionBecomes(.running)
    _ = try await stage.output.capture(PhotoStage.request("a", arrival: 1)).photo()
  }

  /// The id of a capture is refused for another capture, both while the first one is in progress and afterwards.
  @Test func idsAreUnique() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.capture(1)
    let first = try stage.output.capture(PhotoStage.request("a", arrival: 1))
    let again = { try stage.output.capture(PhotoStage.request("a", arrival: 1)) }
    #expect(#expect(throws: CaptureError.self) { try again() }?.reason == .settingsIDReused)
    stage.encoder.pass()
    _ = try await first.photo()
    #expect(#expect(throws: CaptureError.self) { try again() }?.reason == .settingsIDReused)
    #expect(stage.output.readiness == .ready)
  }

  /// A request without an id gets a random UUID of version 4.
  @Test func missingIDsAreMade() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    let (a, b) = (
      try stage.output.capture(PhotoStage.request(arrival: 1)), try stage.output.capture(PhotoStage.request(arrival: 1))
    )
    #expect(a.uniqueID != b.uniqueID)
    #expect(a.uniqueID.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    #expect(Array(a.uniqueID)[14] == "4" && "89ab".contains(Array(a.uniqueID)[19]))
    _ = try await (a.photo(), b.photo())
  }

  @Test func theErrorOfABadRequestNamesTheField() async throws {
    let stage = try await PhotoStage()
    for id in [String(repeating: "x", count: 129), "a\nb", "a\u{200b}"] {
      let error = #expect(throws: CaptureError.self) { try stage.output.capture(PhotoStage.request(id)) }
      #expect(error?.reason == .invalidArgument && error?.field == "settings.unique_id")
    }
    let request = PhotoRequest(arrival: 0, file: PhotoFileSettings(jpegQuality: 0))
    #expect(#expect(throws: CaptureError.self) { try stage.output.capture(request) }?.field == "settings.jpeg_quality")
  }

  /// The output refuses the request above the limit of captures in progress, and accepts requests again when they are
  /// done.
  @Test func capturesInProgressAreBounded() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.capture(1)
    let captures = try (0..<PhotoOutput.maxPending).map { _ in
      try stage.output.capture(PhotoStage.request(arrival: 1))
    }
    let error = #expect(throws: CaptureError.self) { try stage.output.capture(PhotoStage.request("z", arrival: 1)) }
    #expect(error?.reason == .tooManyRequests)
    for _ in captures { stage.encoder.pass() }
    for capture in captures { _ = try await capture.photo() }
    stage.encoder.pass()
    _ = try await stage.output.capture(PhotoStage.request("z", arrival: 1)).photo()
  }

  /// A photo that cannot be encoded ends its capture with the error, which the store keeps. The next capture succeeds.
  @Test func failedProcessingEndsWithTheError() async throws {
    let stage = try await PhotoStage()
    stage.encoder.fail(.outOfBuffers)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request("a", arrival: 1))
    #expect(
      await capture.all().map(\.name)
        == ["willBegin", "willCapture", "didCapture", "no photo: outOfBuffers", "end: outOfBuffers"])
    guard case .failed(let error) = try stage.store.capture("a").state else {
      return #expect(Bool(false), "the store must keep the failed capture")
    }
    #expect(error.reason == .outOfBuffers)
    _ = try await stage.output.capture(PhotoStage.request("b", arrival: 1)).photo()
  }

  /// When there is no memory for a new photo, the store removes the oldest photos until there is.
  @Test func olderPhotosMakeRoom() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    for id in ["a", "b", "c"] { _ = try await stage.output.capture(PhotoStage.request(id, arrival: 1)).photo() }
    stage.encoder.fail(.outOfBuffers, .outOfBuffers)
    _ = try await stage.output.capture(PhotoStage.request("d", arrival: 1)).photo()
    for id in ["a", "b"] { #expect(throws: CaptureError.self) { try stage.store.capture(id) } }
    for id in ["c", "d"] { _ = try stage.store.photo(id) }
  }

  /// A capture goes on when its client no longer reads the events.
  @Test func droppingTheEventsDoesNotCancel() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.capture(1)
    func take(_ id: String) throws { _ = try stage.output.capture(PhotoStage.request(id, arrival: 1)) }
    try take("a")
    let last = try stage.output.capture(PhotoStage.request("b", arrival: 1))
    stage.encoder.pass()
    stage.encoder.pass()
    _ = try await last.photo()
    #expect(try stage.store.photo("a").frame.sequence == 1)
  }

  /// When the output is closed, a photo that a thread processes is finished, and captures that wait fail.
  @Test func closingFailsTheCapturesThatWait() async throws {
    let stage = try await PhotoStage(gated: true)
    stage.capture(1)
    let processed = try stage.output.capture(PhotoStage.request("a", arrival: 1))
    try await stage.encoder.begun.wait(count: 1)
    let pending = try stage.output.capture(PhotoStage.request("b", arrival: 1))
    let removed = CaptureError(.outputRemoved, "gone")
    stage.output.close(removed)
    #expect(
      await pending.all().map(\.name) == ["willBegin", "no photo: operationInterrupted", "end: operationInterrupted"])
    stage.encoder.pass()
    #expect(await processed.all().map(\.name) == Self.order)
    #expect(throws: removed) { try stage.output.capture(PhotoStage.request("c", arrival: 1)) }
    let error = #expect(throws: CaptureError.self) { try stage.store.photo("b") }
    #expect(error?.reason == .operationInterrupted)
  }

  @Test("A5: the error of a capture whose turn comes just after an interruption names the interruption")
  func theErrorNamesTheInterruption() async throws {
    let stage = try await PhotoStage(zeroShutterLag: false, gated: true)
    let first = try stage.output.capture(PhotoStage.request(arrival: 0))
    stage.capture(1)
    let second = try stage.output.capture(PhotoStage.request(arrival: 1))
    stage.pass(seconds: 1)
    stage.change { $0.status = SessionStatus(.interrupted, interruption: .deviceStalled) }
    stage.encoder.pass()
    _ = try await first.photo()
    guard case .didFinishCapture(let error?) = await second.all().last else {
      return #expect(Bool(false), "the second capture must fail")
    }
    #expect(error.reason == .operationInterrupted && error.metadata["interruption"] == "DEVICE_STALLED")
  }
}
