internal import CaptureCore
internal import Imaging

extension PhotoOutput {
  /// Starts the thread that makes photos, one after the other, until the output is closed or let go.
  func startWorker() throws(CaptureError) {
    // Nicer than the preview's threads: a photo can wait, what people look at cannot.
    try WorkerThread.start(name: "photo", niceness: 5) { [weak self, kick, store, makeEncoder] in
      let encode = makeEncoder(store.pool)
      while kick.take() != nil { self?.processAll(with: encode) }
    }
  }

  private func processAll(with encode: EncodePhoto) {
    while let (ticket, job, pinned) = update({ $0.next() }) {
      let result = process(job, pinned, with: encode)
      // Kept before it is told, so that whoever hears of it finds it.
      store.finish(job.uniqueID, result)
      job.send(.didFinishProcessingPhoto(result))
      update { $0.remove(ticket) }
      if case .failure(let error) = result { job.finish(error) } else { job.finish(nil) }
    }
  }

  private func process(
    _ job: PhotoJob, _ pinned: PinnedFrame, with encode: EncodePhoto
  ) -> Result<Photo, CaptureError> {
    let captured = pinned.captured
    do {
      let picture = try encoded(
        captured.frame.picture, PhotoFile(job.request, of: captured), pinned.orientation, with: encode)
      return .success(
        Photo(
          sequence: captured.frame.sequence, streamID: captured.frame.streamID, time: captured.frame.time,
          input: captured.input, configRevision: captured.configRevision, encoding: job.request.encoding,
          picture: picture,
          zeroShutterLagUsed: pinned.zeroShutterLagUsed, shutterLagNanoseconds: pinned.shutterLagNanoseconds,
          isNearestFrame: pinned.isNearestFrame))
    } catch {
      return .failure(error)
    }
  }

  /// Out of memory, the oldest finished photos go first: a new one is worth more than those.
  private func encoded(
    _ picture: Picture, _ file: PhotoFile, _ orientation: Orientation, with encode: EncodePhoto
  ) throws(CaptureError) -> Picture {
    while true {
      do {
        return try encode(picture, file, orientation)
      } catch {
        guard error.reason == .outOfBuffers, store.removeOldest() else { throw error }
      }
    }
  }
}
