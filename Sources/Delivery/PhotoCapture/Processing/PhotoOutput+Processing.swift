internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks

extension PhotoOutput {
  /// Starts the threads that make photos, as many as captures may be in flight, until the output is closed or let go.
  func startWorkers() throws(CaptureError) {
    while let number = state.withLock({ state -> Int? in
      guard state.workers < state.queue.features.maxInFlight else { return nil }
      state.workers += 1
      return state.workers
    }) {
      do throws(CaptureError) {
        // Below the priority of the preview's threads: people look at a preview, and a photo can wait.
        try WorkerThread.start(name: "photo-\(number)", niceness: 10) {
          [weak self, kick, scratch, processing] in
          let processor = processing.makeProcessor(scratch)
          while kick.take() != nil {
            self?.processAll(processor)
            processor.rest()
            if self?.state.withLock(\.needsNoMemory) != false { scratch.reclaim() }
          }
        }
      } catch {
        state.withLock { $0.workers -= 1 }
        throw error
      }
    }
  }

  private func processAll(_ processor: PhotoProcessing.Processor) {
    let encoder = encoders.take()
    defer { encoders.put(encoder) }
    let encode = encoder.encode
    while var next = update({ $0.queue.next() }) {
      let (ticket, job) = (next.0, next.1)
      guard let result = make(ticket, job, &next.2, processor, encode) else { continue }
      update { state in
        if case .success(let photos) = result, let photo = photos.last {
          let took = photo.phases.encodeEnd.nanoseconds(since: photo.phases.processBegin)
          state.times.add(
            took, of: photo.quality, frames: job.frameCount, mergesBracket: job.request.exposure.mergesBracket)
        }
        state.queue.finish(ticket, result)
      }
      deliver()
    }
  }

  /// - Parameter pinned: nobody else has it, so that frames go back to the camera as soon as they are not needed.
  /// - Returns: nil when its frame is damaged and the capture goes on with another.
  private func make(
    _ ticket: Queue.Ticket, _ job: PhotoJob, _ pinned: inout PinnedFrame,
    _ processor: PhotoProcessing.Processor, _ encode: EncodePhoto
  ) -> Result<[Photo], CaptureError>? {
    do throws(CaptureError) {
      var photos = [try process(ticket, job, &pinned, bracketIndex: 0, processor, encode)]
      for (index, frame) in pinned.following.enumerated() {
        var frame = frame
        frame.orientation = pinned.orientation
        photos.append(try process(ticket, job, &frame, bracketIndex: index + 1, processor, encode))
      }
      return .success(photos)
    } catch {
      guard error.reason == .frameDamaged else { return .failure(error) }
      return mend(ticket, job, pinned, error).map { .failure($0) }
    }
  }

  /// Hands on what is finished, as far as all before it are.
  private func deliver() {
    delivery.withLock { _ in
      while let (ticket, job, result) = update({ $0.queue.nextDelivery() }) {
        // Kept before it is told, so that whoever hears of it finds it.
        store.finish(job.uniqueID, result)
        if case .success(let photos) = result {
          for photo in photos { job.send(.didFinishProcessingPhoto(.success(photo.lent))) }
        }
        // The place is free before its end is told, and the next one begins afterwards.
        let (_, turns) = change { $0.queue.remove(ticket) }
        if case .failure(let error) = result { job.finish(error) } else { job.finish(nil) }
        for turn in turns { begin(turn) }
      }
    }
  }

  /// - Throws: `frameDamaged` says which frame is damaged: of a bracket that may be any.
  private func process(
    _ ticket: Queue.Ticket, _ job: PhotoJob, _ pinned: inout PinnedFrame, bracketIndex: Int,
    _ processor: PhotoProcessing.Processor, _ encode: EncodePhoto
  ) throws(CaptureError) -> Photo {
    do throws(CaptureError) {
      return try makePhoto(ticket, job, &pinned, bracketIndex: bracketIndex, processor, encode)
    } catch {
      // The decoder's error cannot name the frame: it is given the picture alone.
      throw error.reason == .frameDamaged ? Self.damaged(pinned.captured.frame) : error
    }
  }

  private func makePhoto(
    _ ticket: Queue.Ticket, _ job: PhotoJob, _ pinned: inout PinnedFrame, bracketIndex: Int,
    _ processor: PhotoProcessing.Processor, _ encode: EncodePhoto
  ) throws(CaptureError) -> Photo {
    let captured = pinned.captured
    // Somebody else has decoded it.
    if captured.frame.buffer.isDamaged { throw Self.damaged(captured.frame) }
    let processBegin = now()
    let pinnedAt = pinned.pinnedAt ?? processBegin
    let captureBegin = pinned.capturePhase.begin ?? pinnedAt
    let captureEnd = max(pinned.capturePhase.end ?? pinnedAt, pinnedAt, captureBegin)
    let (picture, frameCount) = try merge(pinned, job.quality, processor) {
      !state.withLock { $0.queue.holds(ticket) }
    }
    let processEnd = now()
    // Where memory was too short to merge exposures, the photo is one of them, and its file tells that one's exposure.
    if frameCount == 1 { pinned.mergesExposures = false }
    // Encoding a photo takes long, and the camera may need them.
    pinned.neighbours = []
    // Where there is memory to process fewer photos than may be in flight, this thread gives its own back while it encodes:
    // another thread needs it for its photo.
    let inFlight = state.withLock { $0.queue.features.maxInFlight }
    if PhotoFeatures.maxProcessing(captured.frame.layout.size) < inFlight { processor.rest() }
    update { $0.queue.setEncoding(ticket) }
    let encoded = try makingRoom { () throws(CaptureError) in
      try encode(picture, PhotoFile(job.request, of: pinned), pinned.orientation)
    }
    let phases = PhotoPhases(
      pinNanoseconds: pinnedAt.nanoseconds(since: job.request.arrival), captureBegin: captureBegin,
      captureEnd: captureEnd, processBegin: processBegin, processEnd: processEnd,
      encodeBegin: processEnd, encodeEnd: now())
    let exposure = job.request.exposure
    return Photo(
      frame: PhotoFrame(captured), selection: pinned.selection, encoding: job.request.file.encoding, picture: encoded,
      quality: job.quality, fusedFrameCount: frameCount, phases: phases, byteCount: encoded.buffer.count,
      sensor: pinned.sensor, bracketIndex: exposure.bracket.isEmpty || exposure.mergesBracket ? nil : bracketIndex)
  }

  private func merge(
    _ pinned: PinnedFrame, _ quality: PhotoQuality, _ processor: PhotoProcessing.Processor, _ shouldStop: () -> Bool
  ) throws(CaptureError) -> (picture: Picture, frameCount: Int) {
    let frame = pinned.captured.frame
    let frames = ([frame] + pinned.neighbours.map(\.frame)).sorted { $0.sequence < $1.sequence }
    let reference = frames.firstIndex { $0 === frame } ?? 0
    return try makingRoom { () throws(CaptureError) in
      if pinned.mergesExposures { return try processor.mergeExposures(frames.map(\.picture), reference, shouldStop) }
      return try processor.process(frames.map(\.picture), reference, quality, shouldStop)
    }
  }

  /// Out of memory, the oldest finished photos go first: a new one is worth more than those.
  private func makingRoom<R>(_ make: () throws(CaptureError) -> R) throws(CaptureError) -> R {
    while true {
      do {
        return try make()
      } catch {
        guard error.reason == .outOfBuffers, store.removeOldest() else { throw error }
      }
    }
  }
}
