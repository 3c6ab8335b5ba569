import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Locking
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// A file that a ``MovieRecorder`` made of 45 frames, 25 of which come in a second, in fragments of ten frames. A pause
/// takes two seconds.
struct ShortMovie {
  static let frameCount = 45
  static let period: UInt64 = 40_000_000

  let bytes: Data
  /// Where each frame's bytes begin in the file, in the order of the frames.
  let frameStarts: [Int]
  /// Where they end, in MP4 and QuickTime. Other containers put heads between the bytes of a frame.
  let frameEnds: [Int]
  /// When each frame was captured, in nanoseconds from the first one.
  let captureTimes: [UInt64]
  let pauses: [RecordingPause]

  /// - Parameter pauses: the numbers of the frames before which the recording was paused.
  init(
    _ container: MovieContainer, quality: Int = 80, orientation: Orientation = .asCaptured, pauses: Set<Int> = []
  ) async throws {
    let file = TemporaryFile(container.fileExtension)
    let pictures = BoardPictures(pool: FramePool(budget: 256 << 20))
    var settings = RecordingSettings(
      container: container, rate: .quality(quality), fragmentInterval: 10 * Self.period)
    settings.orientation = orientation
    let recorder = MovieRecorder(
      to: .file(file.path), settings: settings, frameRate: Rational(25, 1))
    try recorder.start()
    var captureTimes: [UInt64] = []
    for number in 0..<Self.frameCount {
      while recorder.isBusy { await Task.yield() }
      if pauses.contains(number) { #expect(recorder.pause() && recorder.resume()) }
      captureTimes.append(UInt64(number) * Self.period + UInt64(pauses.count { $0 <= number }) * 2_000_000_000)
      let time = 1_000_000_000 + captureTimes[number]
      let picture = try pictures.picture(number, at: time)
      recorder.receive(
        CapturedFrame(
          frame: Frame(
            streamID: 1, sequence: UInt64(number),
            time: FrameTime(
              monotonic: MonotonicInstant(nanoseconds: time), wall: WallInstant(nanoseconds: time),
              source: .endOfFrame),
            layout: picture.layout, buffer: picture.buffer),
          input: "camera", configRevision: 1))
    }
    recorder.end(.stopped)
    for await event in recorder.events {
      if case .finished = event { break }
    }
    try #require(recorder.progress.tally.frames == UInt64(Self.frameCount))
    self.captureTimes = captureTimes
    self.pauses = recorder.pauses
    bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let packets = try MediaTools.probe(file.path, "packet=pos,size")
    frameStarts = try packets.map { try #require(Int($0["pos"] ?? "")) }
    let sizes = try packets.map { try #require(Int($0["size"] ?? "")) }
    frameEnds = zip(frameStarts, sizes).map(+)
    try #require(frameEnds.count == Self.frameCount)
  }
}
