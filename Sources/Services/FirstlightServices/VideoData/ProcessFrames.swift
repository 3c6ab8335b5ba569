internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import Imaging
internal import Locking
internal import OverlayDrawing
internal import RPCCore
internal import SwiftProtobuf

extension VideoDataHandlers {
  func processFrames(
    _ requests: RequestStream<Firstlight_V1_ProcessFramesRequest>, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_ProcessFramesResponse>
  ) async throws {
    var iterator = requests.makeAsyncIterator()
    guard case .processingStart(let start)? = try await iterator.next()?.content else {
      throw CaptureError(.invalidArgument, "The first request must be processing_start.", field: "processing_start")
    }
    let (session, reader, process) = try await begin(start)
    defer { reader.detach() }
    defer { process.end() }
    let ending = ProcessingEnd(reader)
    await session.whileViewed(since: context.arrival) {
      await withDiscardingTaskGroup { group in
        group.addTask {
          await ending.whenOver {
            for try await request in requests {
              try await answer(request, to: process, reader)
            }
          }
        }
        group.addTask { for await error in process.endings { ending.end(error) } }
        // The sending of frames runs in the group's parent task, so that `cancelAll` does not cancel it. Cancelling a
        // write in the middle of a message would break off the call, and the client would not get its status.
        await ending.whenOver { try await sendFrames(of: reader, process, to: writer) }
        group.cancelAll()
      }
    }
    try ending.outcome.get()
  }

  private func begin(
    _ start: Firstlight_V1_ProcessingStart
  ) async throws(CaptureError) -> (CaptureSession, VideoDataReader, PreviewProcess) {
    do throws(CaptureError) {
      let session = try await sessions.session(named: start.session, field: "session")
      let output = try await session.output(start.output, as: VideoDataOutput.self, named: "video data")
      let preview = try await session.output(
        start.previewOutput, as: PreviewOutput.self, named: "preview", field: "preview_output")
      let deadline = start.hasDeadlineFrames ? Int(start.deadlineFrames) : 3
      try PreviewOutput.validate(deadlineFrames: deadline)
      let limit = Int(start.hasMaxMessageBytes ? start.maxMessageBytes : 4 << 20)
      // As many frames as the deadline may be unacknowledged. With more, the answers would come after the deadline.
      let reader = try output.attach(
        VideoDataRequest(maxMessageBytes: limit, maxUnacknowledgedFrames: deadline))
      do throws(CaptureError) {
        // This call comes after every check that may refuse the request, because it ends the part of the program that
        // answered the preview's frames until now.
        return (session, reader, try preview.beginProcessing(deadlineFrames: deadline))
      } catch {
        reader.detach()
        throw error
      }
    } catch {
      var error = error
      error.field = error.field.map { "processing_start.\($0)" }
      throw error
    }
  }

  private func answer(
    _ request: Firstlight_V1_ProcessFramesRequest, to process: PreviewProcess, _ reader: VideoDataReader
  ) async throws {
    guard case .answer(let answer) = request.content else {
      throw CaptureError(
        .invalidArgument, "Only the first request is processing_start; all later ones are answer.", field: "answer")
    }
    // The program has consumed the frame, even if the answer turns out to be invalid or too late.
    reader.acknowledge(sequence: answer.sequence)
    let (stream, sequence) = (answer.streamID, answer.sequence)
    switch answer.content {
    case nil: try process.answer(streamID: stream, sequence: sequence, nil)
    case .overlay(let overlay): try await process.answer(streamID: stream, sequence: sequence, overlay)
    case .replacement(let frame):
      let (format, size) = (try frame.format, Size(width: Int(frame.width), height: Int(frame.height)))
      try process.answer(
        streamID: stream, sequence: sequence, frame.data, format, size, like: reader.frameLayout)
    }
  }

  private func sendFrames(
    of reader: VideoDataReader, _ process: PreviewProcess,
    to writer: ResponseWriter<Firstlight_V1_ProcessFramesResponse>
  ) async throws {
    while true {
      switch try await reader.next() {
      case .status(let status):
        try await writer.write(
          .with {
            $0.counts = process.counts.proto
            $0.status = status.proto
          })
      case .frame(let captured, let dropped, _):
        let counts: [UInt8] = try Firstlight_V1_ProcessFramesResponse.with { $0.counts = process.counts.proto }
          .serializedBytes()
        try await writer.write(
          FrameSerializer.message(
            captured.videoData(dropped: dropped, temperature: temperature()), at: .init(field: 3, siblings: counts),
            dataField: FrameField.data, data: captured.frame.buffer))
      }
    }
  }
}

extension PreviewProcess {
  /// Answers a frame with an overlay.
  ///
  /// When too many other overlays wait to be decoded, or the images of other overlays have used up the memory, the
  /// preview treats the frame as one without an answer. The program's stream goes on, because other clients have caused
  /// the shortage.
  ///
  /// - Parameters:
  ///   - streamID: the stream of the frame.
  ///   - sequence: the driver's number of the frame in its stream.
  ///   - decoder: decodes the images of the overlay.
  /// - Throws: `invalidArgument` for an overlay that cannot be drawn; `processingFailed` when the system gives no
  ///   thread.
  func answer(
    streamID: UInt64, sequence: UInt64, _ proto: Firstlight_V1_Overlay, decoder: ImageDecoder = .shared
  ) async throws(CaptureError) {
    let overlay: Overlay
    do throws(CaptureError) {
      overlay = try await Overlay(proto, path: "answer.overlay", decoder: decoder)
    } catch {
      guard error.reason == .tooManyRequests || error.reason == .outOfBuffers else { throw error }
      reject(streamID: streamID, sequence: sequence)
      return
    }
    try answer(streamID: streamID, sequence: sequence, .overlay(overlay))
  }
}

/// How a stream of ProcessFrames ends. The stream has three parts: the answers of the program, the errors by which the
/// preview ends the program's part, and the frames to the program. The part that is over first decides the outcome and
/// detaches the reader, so that no more frames are sent. Thread-safe.
private final class ProcessingEnd: Sendable {
  private let reader: VideoDataReader
  private let first = Locked<Result<Void, any Error>?>(nil)

  init(_ reader: VideoDataReader) { self.reader = reader }

  /// Runs a part of the stream, and ends the stream when the part returns or throws.
  func whenOver(_ part: () async throws -> Void) async {
    do {
      try await part()
      end(.success(()))
    } catch {
      end(.failure(error))
    }
  }

  /// Ends the stream with `error`, unless the stream has ended already.
  func end(_ error: CaptureError) { end(.failure(error)) }

  /// The outcome of the part that was over first; success while none has ended.
  var outcome: Result<Void, any Error> { first.withLock { $0 } ?? .success(()) }

  private func end(_ result: Result<Void, any Error>) {
    first.withLock { if $0 == nil { $0 = result } }
    reader.detach()
  }
}

extension Firstlight_V1_ProcessedFrame {
  fileprivate var format: PixelFormat {
    get throws(CaptureError) {
      if let format = PixelFormat(fourCC: pixelFormat) { return format }
      throw CaptureError(
        .invalidArgument, "A pixel format is a four-character code such as JPEG.",
        metadata: ["pixel_format": String(pixelFormat.prefix(40))], field: "answer.replacement.pixel_format")
    }
  }
}

extension ProcessingCounts {
  fileprivate var proto: Firstlight_V1_ProcessingCounts {
    .with {
      $0.shown = shown
      $0.late = late
      $0.unanswered = unanswered
    }
  }
}
