internal import CaptureCore
internal import Imaging
internal import SystemClocks
internal import VideoCoding

/// Makes the photos of captures, on the thread that made the processor.
struct PhotoMaker {
  let processor: PhotoProcessing.Processor
  let encode: EncodePhoto
  /// CLOCK_MONOTONIC.
  let now: () -> MonotonicInstant
  /// Asked now and then; after a yes, the capture fails, because no client wants the photos any more.
  var shouldStop: () -> Bool = { false }
  /// Called when a picture is made and only has to be encoded, with the size of its frame.
  var willEncode: (Size) -> Void = { _ in }
  /// Called while memory is short. Returns whether there is more now.
  var makeRoom: () -> Bool = { false }

  /// Makes the photos of a capture: one, or one for each exposure of a bracket or for each of several cameras. The
  /// capture keeps only the frames that may be needed once more.
  ///
  /// - Throws: `frameDamaged`, which names the frame; errors of memory and of encoders.
  func makePhotos(of capture: inout UnprocessedCapture) throws(CaptureError) -> [Photo] {
    let settings = capture.settings
    var photos = [try makePhoto(of: &capture.held, settings, bracketIndex: 0)]
    for (index, frame) in capture.held.following.enumerated() {
      var frame = frame
      photos.append(try makePhoto(of: &frame, settings, bracketIndex: index + 1))
    }
    return photos
  }

  private func makePhoto(
    of held: inout HeldFrame, _ settings: UnprocessedCapture.Settings, bracketIndex: Int
  ) throws(CaptureError) -> Photo {
    do throws(CaptureError) {
      return try processAndEncode(&held, settings, bracketIndex: bracketIndex)
    } catch {
      // The decoder gets the picture alone, so its error cannot name the frame. Of a bracket, any may be damaged.
      throw error.reason == .frameDamaged ? .damaged(held.captured.frame) : error
    }
  }

  private func processAndEncode(
    _ held: inout HeldFrame, _ settings: UnprocessedCapture.Settings, bracketIndex: Int
  ) throws(CaptureError) -> Photo {
    let captured = held.captured
    // Another thread has found that the frame is damaged, for example one of the preview.
    if captured.frame.buffer.isDamaged { throw .damaged(captured.frame) }
    let processBegin = now()
    let heldAt = held.heldAt ?? processBegin
    let captureBegin = held.capturePhase.begin ?? heldAt
    let captureEnd = max(held.capturePhase.end ?? heldAt, heldAt, captureBegin)
    let (picture, frameCount) = try merge(held, settings.quality)
    let processEnd = now()
    // Where memory was too short to merge exposures, the photo is one of them, and its file has that one's exposure.
    if frameCount == 1 { held.mergesExposures = false }
    // Encoding takes long, and the camera may need the memory of these frames.
    held.neighbours = []
    willEncode(captured.frame.layout.size)
    let encoded = try makingRoom { () throws(CaptureError) in
      try encode(picture, PhotoFile(settings.file, of: held.captured, sensor: held.sensor), held.orientation)
    }
    let phases = PhotoPhases(
      holdNanoseconds: heldAt.nanoseconds(since: settings.arrival), captureBegin: captureBegin,
      captureEnd: captureEnd, processBegin: processBegin, processEnd: processEnd,
      encodeBegin: processEnd, encodeEnd: now())
    return Photo(
      frame: PhotoFrame(captured), selection: held.selection, encoding: settings.file.encoding, picture: encoded,
      quality: settings.quality, fusedFrameCount: frameCount, phases: phases, byteCount: encoded.buffer.count,
      sensor: held.sensor, bracketIndex: settings.isOfSeveral ? bracketIndex : nil)
  }

  private func merge(
    _ held: HeldFrame, _ quality: PhotoQuality
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

  /// Runs `make`, and again for as long as it lacks memory and there is more.
  private func makingRoom<R>(_ make: () throws(CaptureError) -> R) throws(CaptureError) -> R {
    while true {
      do {
        return try make()
      } catch {
        guard error.reason == .outOfBuffers, makeRoom() else { throw error }
      }
    }
  }
}
