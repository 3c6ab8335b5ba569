import CaptureCore
import Imaging
import SystemClocks
import Testing

@testable import VideoCoding

/// The decoder of cameras that send coded video: which pictures it decodes, and in which order it is asked for them.
@Suite struct CodedPictureDecoderTests {
  private let size = Size(width: 160, height: 96)
  private let pool = FramePool(budget: 16 << 20)

  /// Frames in H.264 that get brighter by 5 from one to the next; every tenth is a key frame.
  private func frames(_ count: Int) throws -> [Frame] {
    let encoder = H264Encoder(pool: pool, allowsHardware: false)
    var groups = CodedGroups(CodedStream(format: .h264))
    return try (0..<count).map { number in
      let memory = pool.take(size.pixelCount * 3 / 2)!
      memory.bytes.copyBytes(from: repeatElement(UInt8(128), count: size.pixelCount * 3 / 2))
      for index in 0..<size.pixelCount { memory.bytes[index] = UInt8(20 + 5 * number) }
      let layout = try #require(FrameLayout.packed(.nv12, size, matrix: .bt709))
      let plain = Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
      let coded = try encoder.encode(plain, quality: 95, forcesKeyFrame: number % 10 == 0)
      let place = groups.add(coded.picture.buffer, isKeyFrame: coded.isKeyFrame)
      return Frame(
        streamID: 1, sequence: UInt64(number),
        time: FrameTime(monotonic: .epoch, wall: WallInstant(nanoseconds: 0), source: .endOfFrame),
        layout: coded.picture.layout, buffer: coded.picture.buffer, coded: place)
    }
  }

  private func check(_ frame: Frame, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let picture = try frame.decodedPicture()
    #expect(picture.layout == .packed(.yuv420, size, matrix: .bt709), sourceLocation: sourceLocation)
    let luma = try #require(MeanLuma.measure(picture))
    #expect(abs(luma - Double(20 + 5 * frame.sequence)) < 2, sourceLocation: sourceLocation)
  }

  /// Forward, with gaps, back into the same group and into an earlier one: each picture is the one that was asked for.
  @Test func eachPictureIsTheOneThatWasAskedFor() throws {
    let frames = try frames(30)
    for number in [0, 1, 2, 7, 7, 9, 10, 25, 24, 3, 26, 4, 29, 0] { try check(frames[number]) }
  }

  @Test func thePictureOfAFrameThatIsNotCodedIsTheFrames() throws {
    let frame = try frames(1)[0]
    let plain = Frame(
      streamID: 1, sequence: 0, time: frame.time, layout: try #require(.packed(.grey, Size(width: 16, height: 8))),
      buffer: frame.buffer)
    #expect(try plain.decodedPicture().buffer === frame.buffer)
  }

  /// A picture that was just decoded is not decoded again for another user.
  @Test func usersShareThePictureThatWasDecodedLast() throws {
    let frames = try frames(12)
    let first = try frames[11].decodedPicture()
    #expect(try frames[11].decodedPicture().buffer === first.buffer)
  }

  /// Nothing but its own pictures helps a decoder, and the frame says to all others that it is damaged.
  @Test func bytesThatAreNoPictureAreDamage() throws {
    let memory = pool.take(64)!
    memory.bytes.copyBytes(from: [0, 0, 0, 1, 0x65] + (0..<59).map { UInt8($0) })
    let buffer = memory.freeze(count: 64)
    var groups = CodedGroups(CodedStream(format: .h264))
    let place = groups.add(buffer, isKeyFrame: true)
    let frame = Frame(
      streamID: 1, sequence: 0, time: try frames(1)[0].time,
      layout: try #require(.packed(.h264, size)), buffer: buffer, coded: place)
    let error = #expect(throws: CaptureError.self) { try frame.decodedPicture() }
    #expect(error?.reason == .frameDamaged && buffer.isDamaged && frame.meanLuma == nil)
    #expect(place?.stream.takeRequest() == true, "the camera is asked for a key frame")
    #expect(place?.group.isDamaged(at: 1) == true, "nobody tries those after it")
  }

  /// A decoder must keep neither its stream nor the pictures of a group that nobody else has.
  @Test func aStreamEndsWithItsFrames() throws {
    weak var stream: CodedStream?
    weak var group: CodedGroup?
    do {
      let frames = try frames(12)
      for number in [3, 11, 5] { try check(frames[number]) }
      (stream, group) = (frames[0].coded?.stream, frames[11].coded?.group)
      #expect(stream != nil && group != nil)
    }
    #expect(stream == nil && group == nil)
  }
}
