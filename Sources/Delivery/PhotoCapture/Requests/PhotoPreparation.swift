internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import VideoCoding

/// Makes ready what captures with announced settings need: libraries, encoders and memory.
struct PhotoPreparation: Sendable {
  let queue: PhotoQueue
  let link: SessionLink
  let encoders: PhotoEncoders
  /// The memory in which frames are merged.
  let scratch: FramePool
  let processing: PhotoProcessing
  let startThread: PhotoOutput.StartThread

  private var destination: any PhotoDestination { queue.destination }

  init(
    _ queue: PhotoQueue, _ link: SessionLink, _ encoders: PhotoEncoders, _ scratch: FramePool,
    _ processing: PhotoProcessing, _ startThread: @escaping PhotoOutput.StartThread
  ) {
    self.queue = queue
    self.link = link
    self.encoders = encoders
    self.scratch = scratch
    self.processing = processing
    self.startThread = startThread
  }

  /// As ``PhotoOutput/prepare(for:)``.
  func prepare(_ settings: [PhotoRequest]) async throws -> Bool {
    let (answers, waiter) = AsyncThrowingStream.makeStream(of: Bool.self)
    let memory = settings.isEmpty ? nil : destination.holdMemory()
    try queue.update { queue throws(CaptureError) in
      if let closed = queue.places.closed { throw closed }
      for (index, request) in settings.enumerated() {
        do throws(CaptureError) {
          try request.validate(queue.places.features)
        } catch {
          throw error.inSettings(index)
        }
      }
      queue.prepare(settings, waiter, memory)
    }
    if settings.isEmpty {
      destination.pool.reclaim()
      scratch.reclaim()
    }
    for try await prepared in answers { return prepared }
    throw CancellationError()
  }

  /// Does the work that the first photo of each kind would otherwise have to do, on a thread of its own.
  func warm(_ warmUp: PreparedSettings.WarmUp) {
    let frames = processing.frameCount(queue.read { $0.places.features.maxQuality })
    let work: @Sendable () -> Void = {
      // Another call may have taken the place of this one meanwhile, or the output may be closed.
      guard queue.read({ $0.prepared.isCurrent(warmUp) }) else { return queue.update { $0.warmUpEnded(warmUp) } }
      if frames > 1 { scratch.provide(frames + 1, of: warmUp.layout.size.pixelCount * 9 / 4) }
      let isIntact = rehearse(warmUp)
      queue.update { isIntact ? $0.warmUpEnded(warmUp) : $0.prepared.warmUpFoundDamage(warmUp) }
    }
    do throws(CaptureError) {
      try startThread("photo-prepare", 10, work)
    } catch {
      // The caller may be the capture thread, which never encodes, so the caller must not do the work itself.
      queue.update { $0.warmUpEnded(warmUp, error) }
    }
  }

  /// Makes photos of the newest intact frame, each kind with each encoder, which no client gets. This loads libraries,
  /// makes tables and buffers, and shows how much memory a photo takes, which is then fetched from the system page by
  /// page. Captures meanwhile do not wait: they take encoders of their own.
  ///
  /// - Returns: false when the camera damaged the frame, so that nothing is ready.
  private func rehearse(_ warmUp: PreparedSettings.WarmUp) -> Bool {
    let history = link.context?.history
    let intact = history.flatMap { FrameChoice.newest(in: $0, notFrom: ShotShadow()) }
    if intact == nil, history?.newest != nil { return false }
    // When no memory is to spare, the camera needs the memory of the frame more than the preparation does.
    guard let captured = intact, captured.frame.layout == warmUp.layout,
      captured.frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera)
    else {
      provide(warmUp, of: warmUp.layout.byteCount)
      return true
    }
    let loan = FrameLoan(captured.frame.buffer)
    defer { withExtendedLifetime(loan) {} }
    let (orientation, inFlight) = queue.read {
      ($0.conditions.connection.orientation, $0.places.features.maxInFlight)
    }
    let taken = (0..<inFlight).map { _ in encoders.take() }
    defer { for encoder in taken { encoders.put(encoder) } }
    for kind in warmUp.kinds {
      let file = PhotoFile(kind.file, of: captured, sensor: captured.frame.sensor)
      var bytes = 0
      for encoder in taken {
        // A JPEG encoder learns from a first picture how much memory it needs, so it makes two.
        for _ in 0..<(kind.file.encoding == .jpeg ? 2 : 1) {
          guard queue.read({ $0.prepared.isCurrent(warmUp) }) else { return true }
          do throws(CaptureError) {
            bytes = try encoder.encode(captured.frame.decodedPicture(), file, orientation).buffer.count
          } catch {
            if error.reason == .frameDamaged { return false }
            // Any other error comes back with the photo itself, whose client is told.
            break
          }
        }
      }
      switch kind.file.encoding {
      case .jpeg: provide(warmUp, of: JPEGEncoder.memory(for: bytes) * 5 / 4)
      // One photo is a little larger than the next.
      case .heic, .png: provide(warmUp, of: bytes * 5 / 4)
      case .uncompressed: provide(warmUp, of: bytes)
      }
    }
    return true
  }

  private func provide(_ warmUp: PreparedSettings.WarmUp, of bytes: Int) {
    destination.pool.provide(min(warmUp.count, 3), of: bytes)
  }
}

extension CaptureError {
  /// The same error, with the index of the settings that it is about in its field.
  fileprivate func inSettings(_ index: Int) -> CaptureError {
    var error = self
    if let field, field.hasPrefix("settings.") {
      error.field = "settings[\(index)].\(field.dropFirst("settings.".count))"
    }
    return error
  }
}
