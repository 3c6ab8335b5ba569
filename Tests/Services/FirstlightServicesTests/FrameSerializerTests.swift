import CaptureCore
import FirstlightAPI
import Foundation
import Imaging
import RPCCore
import SwiftProtobuf
import SystemClocks
import Testing

@testable import FirstlightServices
@testable import FrameDelivery

/// Messages that the daemon writes in two pieces, around frame bytes that stay where they are. The pieces must parse as
/// what SwiftProtobuf itself would have written.
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

  /// - Parameter value: gives the value of the n-th number in the frame.
  private func picture(
    _ data: FrameBuffer, input: String = "camera", planes: Int = 2, layers: Int = 0,
    source: FrameTime.Source = .arrival, encoding: PreviewEncoding = .nv12, isKeyFrame: Bool = true,
    value: (Int) -> UInt64
  ) -> PreviewPicture {
    func narrow(_ index: Int) -> Int { Int(UInt32(truncatingIfNeeded: value(index))) }
    let layout = FrameLayout(
      pixelFormat: .nv12, size: Size(width: narrow(0), height: narrow(1)),
      planes: (0..<planes).map {
        FrameLayout.Plane(offset: narrow(10 + 3 * $0), stride: narrow(11 + 3 * $0), rows: narrow(12 + 3 * $0))
      })
    let time = FrameTime(
      monotonic: MonotonicInstant(nanoseconds: value(2)), wall: WallInstant(nanoseconds: value(3)), source: source)
    // Every other layer shows nothing, as does one whose camera has brought no frame yet.
    let shown = (0..<layers).map { layer in
      let frame = Frame(
        streamID: value(layer), sequence: value(layer + 1), time: time, layout: layout, buffer: data)
      return ComposedLayer(input: input, frame: layer % 2 == 0 ? frame : nil, isStale: value(layer) % 2 == 0)
    }
    let frame = Frame(
      streamID: value(4), sequence: value(5), time: time, layout: layout, buffer: data, layers: shown)
    return PreviewPicture(
      captured: CapturedFrame(frame: frame, input: input, configRevision: value(6)), encoding: encoding,
      isKeyFrame: isKeyFrame,
      dropped: DropCounts(late: value(7), outOfBuffers: value(8), discontinuity: value(9), damaged: value(2)),
      omitted: value(10 + 3 * planes), memo: PictureMemo())
  }

  private func proto(_ picture: PreviewPicture) -> Firstlight_V1_PreviewFrame {
    let (frame, size) = (picture.captured.frame, picture.picture.layout.size)
    return .with {
      $0.input = picture.captured.input
      $0.streamID = frame.streamID
      $0.sequence = frame.sequence
      $0.captureTime = .init(frame.time.wall)
      $0.monotonicTimeNs = frame.time.monotonic.nanoseconds
      $0.timestampSource = frame.time.source.proto
      $0.width = UInt32(size.width)
      $0.height = UInt32(size.height)
      $0.encoding = picture.encoding.proto
      $0.pixelFormat = picture.encoding.rawPixelFormat
      $0.keyFrame = picture.isKeyFrame
      $0.dropped = picture.dropped.proto
      $0.configRevision = picture.captured.configRevision
      $0.planes = picture.picture.layout.planes.map(\.proto)
      $0.omitted = picture.omitted
      $0.sources = frame.layers.map(\.proto)
    }
  }

  private func expectEqual(_ picture: PreviewPicture, _ data: FrameBuffer) throws {
    let bytes = joined(
      FrameSerializer.message(at: .init(field: 2), dataField: FrameField.data, data: data, picture.write))
    var frame = proto(picture)
    frame.data = data.withUnsafeBytes { Data($0) }
    let expected = Firstlight_V1_StreamPreviewResponse.with { $0.frame = frame }
    #expect(try Firstlight_V1_StreamPreviewResponse(serializedBytes: bytes) == expected)
    // The fields stand in the order of their numbers, so an unset `data` is the only difference that a length of 0 may
    // make.
    if data.count > 0 { #expect(bytes == (try expected.serializedBytes() as [UInt8])) }
  }

  // The lengths lie around every step of the varints that count them.
  @Test(arguments: [0, 1, 50, 126, 127, 128, 200, 16_383, 16_384, 115_200, 2_097_151, 2_097_152, 3_110_400])
  func aPreviewFrameOfAnyLengthParsesEqual(count: Int) throws {
    let data = buffer(count)
    try expectEqual(picture(data) { 1_700_000_000_123_456_789 / UInt64($0 + 1) }, data)
  }

  /// The daemon writes the fields itself, so each value that changes the length of a field is tested in each field.
  @Test func everyValueOfAPreviewFrameParsesEqual() throws {
    let data = buffer(7)
    // The values are 0, which is left out of a message, and both sides of every step of a varint. Each field has each
    // of these values once.
    let powers = (1...9).map { UInt64(1) << UInt64(7 * $0) }
    let steps: [UInt64] = [0, 1, .max] + powers.flatMap { [$0 - 1, $0] }
    for shift in steps.indices { try expectEqual(picture(data) { steps[($0 + shift) % steps.count] }, data) }
    try expectEqual(picture(data, input: "", planes: 0, isKeyFrame: false) { _ in 0 }, data)
    // The texts have lengths around the length that takes a second byte, and letters of several bytes.
    for count in [1, 42, 43, 127, 128, 300] {
      try expectEqual(picture(data, input: String(repeating: "é", count: count)) { UInt64($0) }, data)
    }
    for layers in 1...8 {
      for shift in steps.indices {
        try expectEqual(picture(data, layers: layers) { steps[($0 + shift) % steps.count] }, data)
      }
    }
    for planes in 0...3 { try expectEqual(picture(data, planes: planes) { UInt64($0) }, data) }
    for source in [FrameTime.Source.startOfExposure, .endOfFrame, .arrival] {
      try expectEqual(picture(data, source: source) { UInt64($0) }, data)
    }
    for encoding in [PreviewEncoding.jpeg, .nv12, .yuyv, .h264] {
      try expectEqual(picture(data, encoding: encoding) { UInt64($0) }, data)
    }
  }

  /// The other tests would not notice a field that neither side writes, so this test compares the fields with the
  /// contract.
  @Test func messagesWrittenByHandHaveNoOtherFields() throws {
    let files = try Google_Protobuf_FileDescriptorSet(serializedBytes: FirstlightDescriptorSet.bytes).file
    let messages = files.filter { $0.package == "firstlight.v1" }.flatMap(\.messageType)
    func numbers(_ name: String) throws -> [Int32] {
      try #require(messages.first { $0.name == name }).field.map(\.number)
    }
    #expect(try numbers("PreviewFrame") == Array(1...16) + [Int32(FrameField.data)])
    #expect(try numbers("LayerSource") == Array(1...6))
    #expect(try numbers("Plane") == [1, 2, 3])
    #expect(try numbers("DropCounts") == [1, 2, 3, 4])
  }

  @Test(arguments: [0, 127, 128, 16_384, 1_000_000])
  func aPhotoEventOfAnyLengthParsesEqual(count: Int) throws {
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
      $0.eventID = "a-5"
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
