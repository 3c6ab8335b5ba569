internal import CaptureCore
internal import DelayedFeeds
internal import FirstlightAPI
internal import Foundation
internal import SwiftProtobuf
internal import SystemClocks

extension Firstlight_V1_StreamPreviewRequest {
  /// The preview of which a client wants the past, as JPEG.
  init(_ request: Firstlight_V1_StreamDelayedFramesRequest) {
    self.init()
    encoding = .jpeg
    if request.hasMaxSize { maxSize = request.maxSize }
    if request.hasJpegQuality { jpegQuality = request.jpegQuality }
    if request.hasMaxFrameRate { maxFrameRate = request.maxFrameRate }
    (gravity, rotation) = (request.gravity, request.rotation)
  }

  /// The preview of which a client wants chunks, as H.264.
  init(_ request: Firstlight_V1_StreamDelayedChunksRequest) {
    self.init()
    encoding = .h264
    if request.hasMaxSize { maxSize = request.maxSize }
    if request.hasJpegQuality { jpegQuality = request.jpegQuality }
    if request.hasMaxFrameRate { maxFrameRate = request.maxFrameRate }
    (gravity, rotation) = (request.gravity, request.rotation)
  }
}

extension HistoryReport {
  var proto: Firstlight_V1_DelayedHistory {
    .with {
      $0.availableDuration = Google_Protobuf_Duration(nanoseconds: Int64(available))
      $0.effectiveDelay = Google_Protobuf_Duration(nanoseconds: Int64(effectiveDelay))
      $0.frameCount = UInt64(frameCount)
      $0.byteCount = UInt64(byteCount)
      $0.byteLimit = UInt64(byteLimit)
      $0.readerCount = UInt32(readerCount)
    }
  }
}

extension ChunkPart {
  var proto: Firstlight_V1_DelayedChunkPart {
    .with { part in
      if let (number, facts) = chunk {
        part.chunk = facts.proto
        part.chunk.chunkNumber = number
      }
      part.offset = UInt64(offset)
      part.last = isLast
      part.data = Data(bytes)
    }
  }
}

extension DelayedChunk {
  /// The chunk as clients see it, without its number.
  fileprivate var proto: Firstlight_V1_DelayedChunk {
    .with {
      $0.chunkStartTime = Google_Protobuf_Timestamp(start.wall)
      $0.monotonicTimeNs = start.monotonic.nanoseconds
      $0.duration = Google_Protobuf_Duration(nanoseconds: Int64(duration))
      $0.frameCount = frameCount
      $0.streamID = streamID
      $0.firstSequence = firstSequence
      $0.lastSequence = lastSequence
      $0.dropped = dropped.proto
      $0.omitted = omitted
      $0.byteCount = UInt64(byteCount)
      $0.width = UInt32(size.width)
      $0.height = UInt32(size.height)
    }
  }
}
