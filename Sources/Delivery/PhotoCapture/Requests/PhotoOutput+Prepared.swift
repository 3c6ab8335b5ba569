internal import CaptureCore
internal import Imaging
internal import Synchronization

extension PhotoOutput {
  /// Makes ready what captures with such settings need; holds until the next call. Returns when the session runs and all is
  /// there; with no settings gives the memory back and returns at once.
  ///
  /// - Returns: false when another call took its place.
  /// - Throws: `invalidArgument`, `unsupportedValue`; `processingFailed` when the system gives no thread for it; once closed,
  ///   the error of that; `CancellationError`.
  public func prepare(for settings: [PhotoRequest]) async throws -> Bool {
    let (answers, continuation) = AsyncThrowingStream.makeStream(of: Bool.self)
    let former = try update { state throws(CaptureError) in
      if let closed = state.queue.closed { throw closed }
      for (index, request) in settings.enumerated() {
        do throws(CaptureError) {
          try request.validate(state.queue.features)
        } catch {
          throw error.inSettings(index)
        }
      }
      if settings.isEmpty {
        continuation.yield(true)
        continuation.finish()
      }
      state.memoryHold = settings.isEmpty ? nil : state.memoryHold ?? store.holdMemory()
      return state.prepared.set(settings, waiter: continuation)
    }
    former?.yield(false)
    former?.finish()
    if settings.isEmpty {
      store.pool.reclaim()
      scratch.reclaim()
    }
    let isRunning = state.withLock { $0.conditions.status.state == .running }
    if !settings.isEmpty, let context, isRunning { runDeferredStart(context) }
    for try await prepared in answers { return prepared }
    throw CancellationError()
  }

  /// Does the work that the first photo of a kind would otherwise have to do.
  func warm(_ warmUp: PreparedSettings.WarmUp) {
    let frames = processing.frameCount(state.withLock { $0.queue.features.maxQuality })
    let merges = frames > 1
    let work: @Sendable () -> Void = { [weak self, scratch] in
      if merges { scratch.provide(frames + 1, of: warmUp.layout.size.pixelCount * 9 / 4) }
      guard let self else { return }
      guard rehearse(warmUp) else { return update { $0.prepared.warmUpFoundDamage(warmUp) } }
      let waiter = update { $0.prepared.warmUpEnded(warmUp) }
      waiter?.yield(true)
      waiter?.finish()
    }
    do throws(CaptureError) {
      try startThread("photo-prepare", 10, work)
    } catch {
      // The caller must not do it in place of the thread: it may be the capture thread, which never encodes.
      state.withLock { $0.prepared.warmUpEnded(warmUp) }?.finish(throwing: error)
    }
  }

  /// Makes photos of the newest intact frame that nobody gets: each kind with each encoder. Libraries are loaded then, tables and
  /// buffers are made, and it is known how much memory a photo takes, which is fetched from the system page by page. Photos
  /// asked for meanwhile do not wait: they take encoders of their own.
  ///
  /// - Returns: false when the camera damaged that frame, so that nothing is ready.
  private func rehearse(_ warmUp: PreparedSettings.WarmUp) -> Bool {
    let history = context?.history
    let intact = history.flatMap { FrameChoice.newest(in: $0, notFrom: ShotShadow()) }
    if intact == nil, history?.newest != nil { return false }
    // The camera needs the memory of the frame more than the preparation does when there is none to spare.
    guard let captured = intact, captured.frame.layout == warmUp.layout,
      captured.frame.buffer.leavesRoom(for: Self.framesLeftToCamera)
    else {
      provide(warmUp, of: warmUp.layout.byteCount)
      return true
    }
    let held = HeldFrame(captured.frame)
    let (orientation, inFlight) = state.withLock { ($0.connection.orientation, $0.queue.features.maxInFlight) }
    let taken = (0..<inFlight).map { _ in encoders.take() }
    defer { for encoder in taken { encoders.put(encoder) } }
    for kind in warmUp.kinds {
      let file = PhotoFile(kind, of: captured, sensor: captured.frame.sensor)
      var bytes = 0
      for encoder in taken {
        // What a JPEG encoder takes for a picture follows from the one before.
        for _ in 0..<(kind.file.encoding == .jpeg ? 2 : 1) {
          guard state.withLock({ $0.prepared.isCurrent(warmUp) }) else { return true }
          do throws(CaptureError) {
            bytes = try encoder.encode(held.frame.picture, file, orientation).buffer.count
          } catch {
            if error.reason == .frameDamaged { return false }
            // Any other error will come back with the photo itself, whose client is told.
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
    store.pool.provide(min(warmUp.count, 3), of: bytes)
  }
}

extension CaptureError {
  /// The same of one of several settings.
  fileprivate func inSettings(_ index: Int) -> CaptureError {
    var error = self
    if let field, field.hasPrefix("settings.") {
      error.field = "settings[\(index)].\(field.dropFirst("settings.".count))"
    }
    return error
  }
}
