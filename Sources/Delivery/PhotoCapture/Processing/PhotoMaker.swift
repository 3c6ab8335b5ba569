internal import CaptureCore
internal import Imaging
internal import SystemClocks
internal import VideoCoding

/// Makes the photos of one capture, on a photo thread.
struct PhotoMaker: Sendable {
  typealias Work = PhotoQueueStateMachine.Assignment

  let queue: PhotoQueue

  /// Makes the capture's photos: one, or one for each exposure of a bracket or for each of several cameras.
  ///
  /// - Throws: `frameDamaged`, which names the frame; errors of memory and of encoders.
  func makePhotos(
    _ work: inout Work, _ processor: PhotoProcessing.Processor, _ encode: EncodePhoto
  ) throws(CaptureError) -> [Photo] {
    var photos = [try makePhoto(work.ticket, work.job, &work.held, bracketIndex: 0, processor, encode)]
    for (index, frame) in work.held.following.enumerated() {
      var frame = frame
      photos.append(try makePhoto(work.ticket, work.job, &frame, bracketIndex: index + 1, processor, encode))
    }
    return photos
  }

  private func makePhoto(
    _ ticket: PhotoQueueStateMachine.Ticket, _ job: PhotoJob, _ held: inout HeldFrame, bracketIndex: Int,
    _ processor: PhotoProcessing.Processor, _ encode: EncodePhoto
  ) throws(CaptureError) -> Photo {
    do throws(CaptureError) {
      return try processAndEncode(ticket, job, &held, bracketIndex: bracketIndex, processor, encode)
    } catch {
      // The decoder gets the picture alone, so its error cannot name the frame. Of a bracket, any may be damaged.
      throw error.reason == .frameDamaged ? .damaged(held.captured.frame) : error
    }
  }

  private func processAndEncode(
    _ ticket: PhotoQueueStateMachine.Ticket, _ job: PhotoJob, _ held: inout HeldFrame, bracketIndex: Int,
    _ processor: PhotoProcessing.Processor, _ encode: EncodePhoto
  ) throws(CaptureError) -> Photo {
    let captured = held.captured
    // Another thread has found that the frame is damaged, for example one of the preview.
    if captured.frame.buffer.isDamaged { throw .damaged(captured.frame) }
    let processBegin = queue.now()
    let heldAt = held.heldAt ?? processBegin
    let captureBegin = held.capturePhase.begin ?? heldAt
    let captureEnd = max(held.capturePhase.end ?? heldAt, heldAt, captureBegin)
    let (picture, frameCount) = try merge(held, job.quality, processor) {
      !queue.read { $0.places.holds(ticket) }
    }
    let processEnd = queue.now()
    // Where memory was too short to merge exposures, the photo is one of them, and its file has that one's exposure.
    if frameCount == 1 { held.mergesExposures = false }
    // Encoding takes long, and the camera may need the memory of these frames.
    held.neighbours = []
    // Where the memory allows fewer photos to be processed than to be in flight, another thread needs this thread's
    // memory for its photo, so this thread gives it back while it encodes.
    let inFlight = queue.read { $0.places.features.maxInFlight }
    if PhotoFeatures.maxProcessing(captured.frame.layout.size) < inFlight { processor.rest() }
    queue.update { $0.places.setEncoding(ticket) }
    let encoded = try makingRoom { () throws(CaptureError) in
      try encode(picture, PhotoFile(job.request, of: held), held.orientation)
    }
    let phases = PhotoPhases(
      holdNanoseconds: heldAt.nanoseconds(since: job.request.arrival), captureBegin: captureBegin,
      captureEnd: captureEnd, processBegin: processBegin, processEnd: processEnd,
      encodeBegin: processEnd, encodeEnd: queue.now())
    return Photo(
      frame: PhotoFrame(captured), selection: held.selection, encoding: job.request.file.encoding, picture: encoded,
      quality: job.quality, fusedFrameCount: frameCount, phases: phases, byteCount: encoded.buffer.count,
      sensor: held.sensor, bracketIndex: job.request.isOfSeveral ? bracketIndex : nil)
  }

  private func merge(
    _ held: HeldFrame, _ quality: PhotoQuality, _ processor: PhotoProcessing.Processor, _ shouldStop: () -> Bool
  ) throws(CaptureError) -> (picture: Picture, frameCount: Int) {
    let frame = held.captured.frame
    let frames = ([frame] + held.neighbours.map(\.frame)).sorted { $0.sequence < $1.sequence }
    let reference = frames.firstIndex { $0 === frame } ?? 0
    // The memory of decoded pictures is not that of finished photos, so the removal of photos would not help.
    let pictures = try frames.map { frame throws(CaptureError) in try frame.decodedPicture() }
    return try makingRoom { () throws(CaptureError) in
      if held.mergesExposures { return try processor.mergeExposures(pictures, reference, shouldStop) }
      return try processor.process(pictures, reference, quality, shouldStop)
    }
  }

  /// Runs `make`. While memory is short, photos that are kept go first: a new photo is worth more.
  private func makingRoom<R>(_ make: () throws(CaptureError) -> R) throws(CaptureError) -> R {
    while true {
      do {
        return try make()
      } catch {
        guard error.reason == .outOfBuffers, queue.destination.makeRoom() else { throw error }
      }
    }
  }
}
