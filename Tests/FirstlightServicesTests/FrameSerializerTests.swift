import CaptureCore
import FirstlightAPI
import Foundation
import Imaging
import SwiftProtobuf
import Testing

@testable import FirstlightServices
@testable import GRPCTransport
@testable import Preview

/// The two slices must parse as what SwiftProtobuf itself would have written.
@Suite struct FrameSerializerTests {
  private let pool = FramePool(budget: 32 << 20)

  private func buffer(_ count: Int) -> FrameBuffer {
    let writable = pool.take(count)!
    for index in 0..<count { writable.bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
    return writable.freeze(count: count)
  }

  private func joined(_ message: LentMessage) -> [UInt8] {
    message.header + message.payload.withUnsafeBytes { Array($0) }
  }

  private func picture(
    _ data: FrameBuffer, value: UInt64, input: String = "camera", planes: Int = 2, isKeyFrame: Bool = true
  ) -> PreviewPicture {
    let size = Size(width: Int(UInt32(truncatingIfNeeded: value)), height: Int(UInt32(truncatingIfNeeded: value >> 3)))
    let layout = FrameLayout(
      pixelFormat: .nv12, size: size,
      planes: (0..<planes).map { _ in FrameLayout.Plane(offset: size.width, stride: size.height, rows: size.width) })
    let time = FrameTime(monotonicNanoseconds: value, wallNanoseconds: value >> 1, source: .arrival)
    let frame = Frame(streamID: value, sequence: value, time: time, layout: layout, buffer: data)
    return PreviewPicture(
      captured: CapturedFrame(frame: frame, input: input, configRevision: value), encoding: .nv12,
      isKeyFrame: isKeyFrame, dropped: DropCounts(late: value, outOfBuffers: value, discontinuity: value),
      omitted: value, memo: PictureMemo())
  }

  private func proto(_ picture: PreviewPicture) -> Firstlight_V1_PreviewFrame {
    .with {
      $0.input = picture.captured.input
      $0.streamID = picture.captured.frame.streamID
      $0.sequence = picture.captured.frame.sequence
      $0.captureTime = .init(wallNanoseconds: picture.captured.frame.time.wallNanoseconds)
      $0.monotonicTimeNs = picture.captured.frame.time.monotonicNanoseconds
      $0.timestampSource = .arrival
      $0.width = UInt32(picture.picture.layout.size.width)
      $0.height = UInt32(picture.picture.layout.size.height)
      $0.encoding = .nv12
      $0.keyFrame = picture.isKeyFrame
      $0.dropped = picture.dropped.proto
      $0.configRevision = picture.captured.configRevision
      $0.planes = picture.picture.layout.planes.map(\.proto)
      $0.omitted = picture.omitted
    }
  }

  private func expectEqual(_ picture: PreviewPicture, _ data: FrameBuffer) throws {
    let bytes = joined(
      FrameSerializer.message(at: [.init(field: 2)], dataField: FrameField.data, data: data, picture.write))
    var frame = proto(picture)
    frame.data = data.withUnsafeBytes { Data($0) }
    let expected = Firstlight_V1_StreamPreviewResponse.with { $0.frame = frame }
    #expect(try Firstlight_V1_StreamPreviewResponse(serializedBytes: bytes) == expected)
    // The fields stand in order of their numbers, so an unset `data` is the only difference a length of 0 may make.
    if data.count > 0 { #expect(bytes == (try expected.serializedBytes() as [UInt8])) }
  }

  // Lengths around every step of the varints that count them.
  @Test(arguments: [0, 1, 50, 126, 127, 128, 200, 16_383, 16_384, 115_200, 2_097_151, 2_097_152, 3_110_400])
  func previewFrameParsesEqual(count: Int) throws {
    let data = buffer(count)
    try expectEqual(picture(data, value: 1_700_000_000_123_456_789), data)
  }

  @Test func everyValueOfAPreviewFrameParsesEqual() throws {
    let data = buffer(7)
    // 0, which is left out, and both sides of every step of a varint.
    let steps = (1...9).flatMap { [UInt64(1) << (7 * $0) - 1, UInt64(1) << (7 * $0)] }
    for value in [0, 1] + steps + [.max] { try expectEqual(picture(data, value: value), data) }
    // Texts around the length that takes a second byte, and of several bytes a letter.
    for count in [0, 1, 42, 43, 127, 128, 300] {
      try expectEqual(picture(data, value: 5, input: String(repeating: "é", count: count)), data)
    }
    for planes in 0...3 { try expectEqual(picture(data, value: 5, planes: planes, isKeyFrame: planes > 1), data) }
  }

  /// The tests above would not see a field that nobody writes.
  @Test func aPreviewFrameHasNoOtherFields() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "proto/firstlight/v1/preview_service.proto")
    let text = try String(contentsOf: file, encoding: .utf8)
    let message = try #require(text.firstMatch(of: /(?s)message PreviewFrame \{(.*?)\n\}/)).output.1
    let numbers = message.matches(of: /= (\d+);/).compactMap { Int($0.output.1) }
    #expect(numbers == Array(1...14) + [FrameField.data])
  }

  @Test(arguments: [0, 127, 128, 16_384, 1_000_000])
  func photoEventParsesEqual(count: Int) throws {
    let data = buffer(count)
    var photo = Firstlight_V1_Photo.with {
      $0.sequence = 7
      $0.shutterLag = .init(nanoseconds: -12_345_678)
      $0.byteCount = UInt64(count)
    }
    let event = Firstlight_V1_PhotoCaptureEvent.with {
      $0.uniqueID = "a-b-c"
      $0.monotonicTimeNs = 42
      $0.resolvedSettings.fusedFrameCount = 3
      $0.eventID = 5
    }
    let bytes = joined(try PhotoMessage.make(photo, in: event, data: data))
    photo.data = data.withUnsafeBytes { Data($0) }
    let expected = Firstlight_V1_CapturePhotoResponse.with {
      $0.event = event
      $0.event.didFinishProcessingPhoto = .with { $0.photo = photo }
    }
    #expect(try Firstlight_V1_CapturePhotoResponse(serializedBytes: bytes) == expected)
  }
}
