import CaptureCore
import CaptureTestKit
import Imaging
import MovieTestKit
import Synchronization
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The camera's own JPEG on its way to the thread that writes.
@Suite(.enabled(if: MovieCodec.h264.isAvailable))
struct PassThroughTests {
  private final class Owner: SampleOwner {
    let failures = Mutex<[CaptureError.Reason]>([])

    func lose(_: DropCounts, at _: UInt64) { Issue.record("nothing is lost") }
    func encodingFailed(_ error: CaptureError) { failures.withLock { $0.append(error.reason) } }
  }

  private static let period: UInt64 = 40_000_000

  private let pool = FramePool(budget: 64 << 20)
  private let owner = Owner()

  private func makeEncoder() -> any SampleMaking {
    RecordingSettings(container: .matroska, codec: .motionJPEG).sampleMaker(frameRate: Rational(25, 1))
  }

  /// A JPEG of the camera, with so many bytes after its end.
  private func frame(_ size: Size = Size(width: 320, height: 180), padding: Int = 0) throws -> CapturedFrame {
    let picture = try JPEGEncoder(pool: pool).encode(
      try BoardPictures(pool: pool, size: size).picture(0, at: 0), quality: 50)
    let memory = pool.take(picture.buffer.count + padding)!
    picture.buffer.withUnsafeBytes { memory.bytes.copyMemory(from: $0) }
    let instant = MonotonicInstant(nanoseconds: 0)
    return CapturedFrame(
      frame: Frame(
        streamID: 1, sequence: 0,
        time: FrameTime(monotonic: instant, wall: WallInstant(nanoseconds: 0), source: .endOfFrame),
        layout: picture.layout, buffer: memory.freeze(count: picture.buffer.count + padding), missing: DropCounts()),
      input: "camera", configRevision: 1)
  }

  private func put(_ frame: CapturedFrame, _ number: Int, to encoder: any SampleMaking) {
    encoder.put(frame, at: UInt64(number) * Self.period, FrameLoan(frame.frame.buffer), forcesKeyFrame: false)
  }

  @Test func aSampleIsTheFrameItself() throws {
    let encoder = makeEncoder()
    let frame = try frame()
    put(frame, 3, to: encoder)
    encoder.finish()
    guard case .sample(let sample, let track, let loan) = encoder.take(for: owner) else {
      Issue.record("no sample")
      return
    }
    #expect(sample.bytes === frame.frame.buffer && loan?.buffer === frame.frame.buffer)
    #expect(sample.isKeyFrame && sample.presentationTime == 3 * Self.period && sample.duration == Self.period)
    #expect(track.media == .pictures(.motionJPEG))
    guard case .end(nil) = encoder.take(for: owner) else {
      Issue.record("no end")
      return
    }
    encoder.close()
    #expect(encoder.take(for: owner) == nil)
  }

  /// The frames of a camera may follow the pictures of a client.
  @Test func bothNamesOfJPEGFitOneMovie() throws {
    let encoder = makeEncoder()
    let captured = try frame()
    for (number, format) in [PixelFormat.jpeg, .mjpeg].enumerated() {
      var layout = captured.frame.layout
      layout.pixelFormat = format
      let frame = Frame(
        streamID: 1, sequence: 0, time: captured.frame.time, layout: layout, buffer: captured.frame.buffer)
      put(captured.with(frame), number, to: encoder)
    }
    for _ in 0..<2 {
      guard case .sample = encoder.take(for: owner) else {
        Issue.record("no sample")
        return
      }
    }
  }

  /// A movie of a camera's own video begins with a key frame, for which the camera is asked. After a picture that was
  /// left out, it goes on with the next one.
  @Test func codedPicturesNeedTheOnesBefore() throws {
    let stream = CodedStream(format: .h264)
    var groups = CodedGroups(stream)
    let plain = try frame()
    let frames = [true, false, false, false, true].map { isKeyFrame in
      let place = groups.add(plain.frame.buffer, isKeyFrame: isKeyFrame)
      let frame = Frame(
        streamID: 1, sequence: 0, time: plain.frame.time, layout: plain.frame.layout, buffer: plain.frame.buffer,
        coded: place)
      return plain.with(frame)
    }
    let encoder = makeEncoder()
    #expect(encoder.refusal(of: frames[1].frame) == DropCounts(late: 1))
    #expect(stream.takeRequest())
    for number in 0...1 {
      #expect(encoder.refusal(of: frames[number].frame) == nil)
      put(frames[number], number, to: encoder)
    }
    #expect(!stream.takeRequest())
    #expect(encoder.refusal(of: frames[3].frame) == DropCounts(late: 1))
    #expect(stream.takeRequest())
    #expect(encoder.refusal(of: frames[4].frame) == nil)
  }

  @Test func aDiskThatStandsStillRefusesFrames() throws {
    let encoder = makeEncoder()
    // The frame is lent 32 times, and its memory exists once.
    let frame = try frame(padding: 1 << 20)
    for number in 0..<31 { put(frame, number, to: encoder) }
    #expect(!encoder.isBusy && encoder.refusal(of: frame.frame) == nil)
    put(frame, 31, to: encoder)
    #expect(encoder.isBusy && encoder.refusal(of: frame.frame) == DropCounts(late: 1))
    _ = encoder.take(for: owner)
    #expect(!encoder.isBusy && encoder.refusal(of: frame.frame) == nil)
  }

  /// No thread writes, as with a disk that stands still. Each piece has 768,000 bytes.
  @Test func aDiskThatStandsStillRefusesTheSoundOfAWriter() throws {
    let format = AudioFormat(sampleRate: 96_000, channelCount: 2)
    var settings = RecordingSettings(container: .matroska, codec: .motionJPEG)
    settings.sound.tracks = [AudioConnection(input: "audio", format: format)]
    // The picture is shown for a minute, so that the sound does not wait for another one.
    let recorder = MovieRecorder(to: .file("unused"), settings: settings, frameRate: Rational(1, 60))
    let picture = try frame()
    #expect(recorder.offer(picture) == .taken)
    var answers: [MovieRecorder.Answer] = []
    for second in 0..<60 {
      let time = MonotonicInstant(nanoseconds: UInt64(second) * 1_000_000_000)
      let block = AudioBlock(format: format, time: time, samples: Array(repeating: 0, count: 2 * 96_000))
      answers.append(recorder.offer(block, of: "audio"))
    }
    let taken = answers.prefix { $0 == .taken }.count
    #expect((40..<50).contains(taken))
    #expect(answers.dropFirst(taken).allSatisfy { $0 == .full })
    #expect(recorder.isBacklogged)
  }

  @Test func picturesOfAnotherSizeEndTheMovie() throws {
    let encoder = makeEncoder()
    put(try frame(), 0, to: encoder)
    put(try frame(Size(width: 640, height: 360)), 1, to: encoder)
    _ = encoder.take(for: owner)
    guard case .end(let error) = encoder.take(for: owner) else {
      Issue.record("no end")
      return
    }
    #expect(error?.reason == .formatNotSupported)
    #expect(owner.failures.withLock { $0 } == [.formatNotSupported])
  }
}
