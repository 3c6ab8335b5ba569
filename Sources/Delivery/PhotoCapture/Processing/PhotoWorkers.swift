internal import CaptureCore
internal import Locking
internal import SystemClocks

/// A capture for a photo thread to work on.
struct PhotoAssignment: Sendable {
  var ticket: CapturePlace.Ticket
  var job: PhotoJob
  var capture: UnprocessedCapture
}

/// The threads that make photos, below the priority of the preview's threads, because a person looks at the preview and
/// a photo can wait. They end when the output is closed or let go. Thread-safe.
final class PhotoWorkers: Sendable {
  private let queue: PhotoQueue
  private let encoders: PhotoEncoders
  private let damagedFrames: DamagedFrames
  /// The memory in which frames are merged.
  private let scratch: FramePool
  private let processing: PhotoProcessing
  /// Wakes the threads.
  private let kick = Mailbox<Void>(depth: 8)
  private let threads = Locked(0)
  /// Held while photos are delivered, so that the photos of two threads keep their order. Never held on the frame path.
  private let delivery = Turns()

  init(
    _ queue: PhotoQueue, _ link: SessionLink, _ encoders: PhotoEncoders, _ scratch: FramePool,
    _ processing: PhotoProcessing
  ) {
    self.queue = queue
    self.encoders = encoders
    self.scratch = scratch
    self.processing = processing
    damagedFrames = DamagedFrames(queue: queue, link: link)
  }

  deinit { kick.close() }

  /// Starts threads until there are as many as captures may be in flight.
  func start() throws(CaptureError) {
    while let number = nextThread() {
      do throws(CaptureError) {
        try WorkerThread.start(name: "photo-\(number)", niceness: 10) { [weak self, queue, kick, scratch, processing] in
          let processor = processing.makeProcessor(scratch)
          while kick.take() != nil {
            self?.processAll(processor)
            processor.rest()
            if self == nil || queue.read({ $0.needsNoMemory }) { scratch.reclaim() }
          }
        }
      } catch {
        threads.withLock { $0 -= 1 }
        throw error
      }
    }
  }

  /// Starts the threads that are missing after a change of the features, if any thread was started. A missing thread
  /// only means that captures overlap
  /// less.
  func startMissing() { if threads.withLock({ $0 > 0 }) { try? start() } }

  /// Counts one more thread, unless there are enough. The features are read for each thread, because they may change
  /// meanwhile.
  private func nextThread() -> Int? {
    let wanted = queue.read { $0.places.features.maxInFlight }
    return threads.withLock { threads in
      guard threads < wanted else { return nil }
      threads += 1
      return threads
    }
  }

  /// Wakes threads for `count` captures.
  func wake(_ count: Int) { for _ in 0..<min(count, kick.depth) { kick.put(()) } }

  /// Lets the threads end once they are done.
  func close() { kick.close() }

  private func processAll(_ processor: PhotoProcessing.Processor) {
    let encoder = encoders.take()
    defer { encoders.put(encoder) }
    while var work = queue.update({ $0.nextWork() }) {
      guard let result = process(&work, processor, encoder.encode) else { continue }
      queue.update { [work] in $0.finish(work.ticket, work.job, result) }
      deliver()
    }
  }

  /// - Returns: nil when the capture's frame is damaged and the capture goes on with another frame.
  private func process(
    _ work: inout PhotoAssignment, _ processor: PhotoProcessing.Processor, _ encode: @escaping EncodePhoto
  ) -> Result<[Photo], CaptureError>? {
    let ticket = work.ticket
    let maker = PhotoMaker(
      processor: processor, encode: encode, now: queue.now,
      shouldStop: { [queue] in !queue.read { $0.places.holds(ticket) } },
      willEncode: { [queue] size in
        // Where the memory allows fewer photos to be processed than to be in flight, another thread needs this thread's
        // memory for its photo, so this thread gives it back while it encodes.
        let inFlight = queue.read { $0.places.features.maxInFlight }
        if PhotoFeatures.maxProcessing(size) < inFlight { processor.rest() }
        queue.update { $0.places.setEncoding(ticket) }
      },
      // A new photo is worth more than those that are kept.
      makeRoom: { [queue] in queue.destination.makeRoom() })
    do throws(CaptureError) {
      return .success(try maker.makePhotos(of: &work.capture))
    } catch {
      guard error.reason == .frameDamaged else { return .failure(error) }
      return damagedFrames.replace(work, error).map { .failure($0) }
    }
  }

  /// Delivers the captures that are finished, as far as all before them are.
  private func deliver() {
    delivery.take {
      while let (ticket, job, result) = queue.update({ $0.places.nextDelivery() }) {
        // The destination has the photo before its event is sent, so that a client that gets the event finds the photo.
        queue.destination.finish(job.uniqueID, result)
        var failure: CaptureError?
        switch result {
        case .success(let photos):
          for photo in photos { job.send(.didFinishProcessingPhoto(.success(photo.lent))) }
        case .failure(let error): failure = error
        }
        queue.update { [failure] in $0.leave(ticket, job, failure) }
      }
    }
  }
}
