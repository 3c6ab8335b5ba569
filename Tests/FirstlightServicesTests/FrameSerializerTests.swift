import CaptureCore
import FirstlightAPI
import Foundation
import SwiftProtobuf
import Testing

@testable import FirstlightServices
@testable import GRPCTransport

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

  // Lengths around every step of the varints that count them.
  @Test(arguments: [0, 1, 50, 126, 127, 128, 200, 16_383, 16_384, 115_200, 2_097_151, 2_097_152, 3_110_400])
  func previewFrameParsesEqual(count: Int) throws {
    let data = buffer(count)
    var frame = Firstlight_V1_PreviewFrame.with {
      $0.input = "camera"
      $0.streamID = 1_700_000_000_000_000
      $0.sequence = 12345
      $0.captureTime = .init(wallNanoseconds: 1_700_000_000_123_456_789)
      $0.monotonicTimeNs = 987_654_321
      $0.timestampSource = .startOfExposure
      $0.width = 1920
      $0.height = 1080
      $0.encoding = .nv12
      $0.keyFrame = true
      $0.dropped.late = 3
    }
    let bytes = joined(try FrameSerializer.message(frame, at: .init(field: 2), dataField: 1000, data: data))
    frame.data = data.withUnsafeBytes { Data($0) }
    let expected = Firstlight_V1_StreamPreviewResponse.with { $0.frame = frame }
    #expect(try Firstlight_V1_StreamPreviewResponse(serializedBytes: bytes) == expected)
    // The fields stand in order of their numbers, so an unset `data` is the only difference a length of 0 may make.
    if count > 0 { #expect(bytes == (try expected.serializedBytes() as [UInt8])) }
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
