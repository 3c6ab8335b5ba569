import CaptureCore
import CaptureTestKit
import Imaging
import Locking
import Logging
import MovieTestKit
import Synchronization
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Writers with their sources, and what is left of them. The pictures are JPEG, which stays as it is. The limit only
/// ends a broken test.
@Suite(.enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct AssetWriterTests {
  private static let size = Size(width: 256, height: 96)
  private static let period: UInt64 = 40_000_000

  private let pool = FramePool(budget: 64 << 20)
  private let folder = StoreFolder()
  private let store: RecordingStore
  private let recordings: Recordings
  private let output = MovieOutput(
    id: "movie", session: "front", settings: RecordingSettings(), logger: Logger(label: "test"))

  init() throws {
    let store = try folder.open()
    self.store = store
    recordings = Recordings { .success(store) }
    output.update(conditions(Self.size))
  }

  /// Those of a running session with a camera that gives JPEG of this size.
  private func conditions(_ size: Size) -> OutputConditions {
    var conditions = OutputConditions()
    conditions.status = SessionStatus(.running)
    conditions.expectedFrameRate = Rational(25, 1)
    conditions.expectedLayout = FrameLayout.packed(.mjpeg, size, range: .full)
    return conditions
  }

  private var configuration: WriterConfiguration {
    var configuration = WriterConfiguration(
      container: .mov,
      video: WriterConfiguration.Video(
        codec: .motionJPEG, layout: FrameLayout.packed(.jpeg, Self.size, range: .full)!))
    configuration.video.frameRate = Rational(25, 1)
    configuration.file = "made"
    return configuration
  }

  /// A writer that takes samples.
  private func started() async throws -> AssetWriter {
    let writer = try await AssetWriters(recordings).create(configuration)
    try await writer.start()
    return writer
  }

  /// The frame with this number of a camera whose clock began at `start`.
  private func frame(_ number: UInt64, start: UInt64 = 0) throws -> CapturedFrame {
    let time = start + number * Self.period
    let picture = try JPEGEncoder(pool: pool).encode(
      try BoardPictures(pool: pool, size: Self.size).picture(Int(number), at: time), quality: 80)
    var layout = picture.layout
    layout.pixelFormat = .mjpeg
    return CapturedFrame(
      frame: Frame(
        streamID: 1, sequence: number,
        time: FrameTime(monotonic: MonotonicInstant(nanoseconds: time), wall: .epoch, source: .endOfFrame),
        layout: layout, buffer: picture.buffer),
      input: "camera", configRevision: 1)
  }

  /// The bytes of a picture, as a client appends it.
  private func jpeg(_ number: UInt64) throws -> [UInt8] {
    try frame(number).frame.buffer.withUnsafeBytes { Array($0) }
  }

  /// A picture for which the pool could never have room is refused, and does not wait for ever.
  @Test func theLargestCodedPictureHasRoom() throws {
    let largest = WriterConfiguration.largestCodedPicture
    try configuration.check(largest, of: WriterConfiguration.videoInput)
    let pool = FramePool(budget: configuration.poolBudget)
    let buffer = pool.take(largest)?.freeze(count: largest)
    #expect(buffer?.leavesRoom(for: SampleMaker.framesLeftToCamera) == true)
    for count in [0, largest + 1] {
      #expect(throws: CaptureError.self) { try configuration.check(count, of: WriterConfiguration.videoInput) }
    }
  }

  @Test func aWriterThatIsOverKeepsNothing() async throws {
    let writer = try await started()
    try writer.attach(to: output, whenDetached: {})
    output.receive(try frame(0))
    #expect(output.isRecording)
    try await writer.finish()
    #expect(writer.state.status == .completed)
    #expect(writer.state.inputs[0].acknowledged == 1)
    writer.shared.withLock { shared in
      #expect(shared.recording == nil && shared.recorder == nil && shared.source == nil)
    }
    #expect(writer.pool.withLock { $0 == nil })
  }

  /// A slow folder is no idleness, and the writer is watched after it.
  @Test func aWriterThatStartedSlowlyEndsWhenNobodyUsesIt() async throws {
    let (entered, enter) = AsyncStream<Void>.makeStream()
    let (released, release) = AsyncStream<Void>.makeStream()
    let slow = Recordings { [store] in
      enter.finish()
      for await _ in released {}
      return .success(store)
    }
    var configuration = configuration
    configuration.idleTimeout = 1_000_000
    let writer = AssetWriter(id: "slow", configuration, slow)
    async let start: Void = writer.start()
    for await _ in entered {}
    writer.watchIdleness()
    release.finish()
    try await start
    for await state in writer.states().0 where state.isOver { break }
    #expect(writer.state.isSessionEnded)
  }

  @Test func aCancelledWriterLeavesNothing() async throws {
    let writer = try await started()
    try writer.attach(to: output, whenDetached: {})
    output.receive(try frame(0))
    try await writer.cancel()
    #expect(writer.state.status == .cancelled)
    #expect(store.allRecords.isEmpty && !folder.has("made.mov"))
  }

  /// A movie may end by itself while a client cancels its writer.
  @Test func aRecordingThatHasEndedCanBeDiscarded() async throws {
    let (recording, recorder) = try await recordings.start(configuration) {}
    let picture = try frame(0)
    #expect(recorder.offer(picture) == .taken)
    _ = await recording.stop()
    #expect(folder.has("made.mov"))
    try await recording.discard()
    #expect(store.allRecords.isEmpty && !folder.has("made.mov"))
    // A client may have deleted the recording meanwhile.
    try await recording.discard()
  }

  /// The clock of the client is hours ahead of the camera's.
  @Test func anOutputContinuesTheMovieOfAClient() async throws {
    let writer = try await started()
    let client = try writer.beginAppending {}
    try await writer.append(try jpeg(0), to: "", at: 9_000_000_000_000, from: client)
    try writer.attach(to: output, whenDetached: {})
    for number in 5..<8 { output.receive(try frame(UInt64(number))) }
    try await writer.finish()
    #expect(writer.state.inputs[0].acknowledged == 4 && writer.state.inputs[0].refused == 0)
    let packets = try ProbedPacket.packets(folder.path("made.mov"))
    #expect(packets.0.map { $0.time * 1000 / packets.1 } == [0, 40, 80, 120])
  }

  @Test func anOutputThatDoesNotFitLeavesTheSourceAlone() async throws {
    let writer = try await started()
    let client = try writer.beginAppending {}
    output.update(conditions(Size(width: 320, height: 96)))
    let error = #expect(throws: CaptureError.self) { try writer.attach(to: output, whenDetached: {}) }
    #expect(error?.reason == .notSupportedInConfiguration)
    #expect(client.ending == nil)
    try await writer.append(try jpeg(0), to: "", at: 0, from: client)
    try await writer.cancel()
  }

  @Test func theEndOfTheDaemonCompletesMoviesAndBeginsNone() async throws {
    let writer = try await started()
    try writer.attach(to: output, whenDetached: {})
    output.receive(try frame(0))
    let late = try await AssetWriters(recordings).create(configuration)
    #expect(await recordings.close(within: .seconds(60)) == nil)
    #expect(store.allRecords.map(\.state) == [.finished])
    await #expect(throws: CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")) {
      try await late.start()
    }
    #expect(store.allRecords.count == 1)
  }

  private final class EndedTarget: MovieTarget {
    let isEnding = true
    func receive(_: CapturedFrame) {}
    func receive(_: AudioBlock, of _: String) {}
    func end(_: RecordingEnd) {}
  }

  @Test func anOutputLetsGoOfATargetThatHasEnded() throws {
    var target: EndedTarget? = EndedTarget()
    weak let kept = target
    try output.attach(target!, size: Self.size, needsJPEG: true)
    target = nil
    #expect(kept != nil)
    output.letGo()
    #expect(kept == nil)
  }
}
