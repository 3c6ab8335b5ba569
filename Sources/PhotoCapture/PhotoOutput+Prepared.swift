internal import CaptureCore
internal import Imaging
internal import Synchronization

extension PhotoOutput {
  /// Makes ready what captures with such settings need; holds until the next call. Returns when the session runs and all is
  /// there; with no settings gives the memory back and returns at once.
  ///
  /// - Returns: false when another call took its place.
  /// - Throws: `invalidArgument`, `unsupportedValue`; once closed, the error of that; `CancellationError`.
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
      return state.prepared.set(settings.reduce(0) { $0 + $1.photoCount }, waiter: continuation)
    }
    former?.yield(false)
    former?.finish()
    if settings.isEmpty {
      store.pool.reclaim()
      scratch.reclaim()
    }
    if !settings.isEmpty, let context, context.status.state == .running { runDeferredStart(context) }
    for try await prepared in answers { return prepared }
    throw CancellationError()
  }

  /// Photos of full size are large: their memory is fetched from the system, page by page, before it is needed.
  func warm(_ warmUp: PreparedSettings.WarmUp) {
    let frames = processing.frameCount(state.withLock { $0.queue.features.maxQuality })
    let merges = frames > 1
    let work: @Sendable () -> Void = { [weak self, store, scratch] in
      // What the encoder takes at first for a picture, and what a merged one takes.
      let bytes = max(warmUp.layout.byteCount, warmUp.layout.size.pixelCount)
      store.pool.provide(min(warmUp.count, 3), of: bytes)
      if merges { scratch.provide(frames + 1, of: warmUp.layout.size.pixelCount * 9 / 4) }
      guard let self else { return }
      let waiter = update { $0.prepared.warmUpEnded(warmUp) }
      waiter?.yield(true)
      waiter?.finish()
    }
    do { try WorkerThread.start(name: "photo-prepare", niceness: 10, work) } catch { work() }
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
