internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import PhotoCapture
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf
internal import SystemClocks

extension ViewfinderHandlers {
  func streamViewfinder(
    _ request: Firstlight_V1_StreamViewfinderRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamViewfinderResponse>
  ) async throws {
    let viewfinder = Viewfinder()
    _ = viewfinder.show(try Set(request.contents))
    readers.add(viewfinder)
    defer { readers.remove(viewfinder.token) }
    try await withThrowingTaskGroup { group in
      group.addTask { await serveParts(of: viewfinder, context) }
      // The parts would otherwise wait for ever for a call that takes their messages.
      defer { viewfinder.messages.close(CancellationError()) }
      defer { group.cancelAll() }
      try await writer.write(from: viewfinder.messages)
    }
  }

  /// Serves the parts of a viewfinder, each in a task of its own, until the daemon shuts down or the task is cancelled.
  private func serveParts(of viewfinder: Viewfinder, _ context: CallContext) async {
    await withDiscardingTaskGroup { group in
      for await _ in viewfinder.changes.cancelOnGracefulShutdown() {
        for run in viewfinder.takeStarts() { group.addTask { await serve(run, of: viewfinder, context) } }
      }
      viewfinder.messages.close(
        CaptureError(.shuttingDown, "The daemon is shutting down; connect again later."))
      group.cancelAll()
    }
  }

  /// Serves a part until it ends by itself or is stopped, and tells the client of an error.
  private func serve(_ run: Viewfinder.Run, of viewfinder: Viewfinder, _ context: CallContext) async {
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { try await serve(run.part, run.number, viewfinder.messages, context) }
        group.addTask { for await _ in run.stops {} }
        try await group.next()
        group.cancelAll()
      }
    } catch is CancellationError {
    } catch {
      try? await viewfinder.messages.send(.ended(run.part.ending(error)), from: run.number)
    }
  }

  /// Checks that a client may call the methods whose messages a part shows.
  private func check(_ part: ViewfinderPart, _ client: Principal) async throws {
    switch part {
    case .preview(_, let request):
      try await access.check(client, calling: Firstlight_V1_PreviewService.streamPreview, with: request)
    case .session(let name):
      try await access.check(
        client, calling: Firstlight_V1_SessionService.watchSession,
        with: Firstlight_V1_WatchSessionRequest.with { $0.name = name })
      try await access.check(
        client, calling: Firstlight_V1_PhotoService.watchCaptures,
        with: Firstlight_V1_WatchCapturesRequest.with { $0.session = name })
      try await access.check(
        client, calling: Firstlight_V1_PhotoService.watchReadiness,
        with: Firstlight_V1_WatchReadinessRequest.with { $0.session = name })
    case .pressure:
      try await access.check(
        client, calling: Firstlight_V1_PressureService.watchSystemPressure,
        with: Firstlight_V1_WatchSystemPressureRequest())
    case .devices:
      try await access.check(
        client, calling: Firstlight_V1_DeviceService.watchDevices, with: Firstlight_V1_WatchDevicesRequest())
    case .levels(let name):
      try await access.check(
        client, calling: Firstlight_V1_SessionService.watchAudioLevels,
        with: Firstlight_V1_WatchAudioLevelsRequest.with { $0.name = name })
    }
  }

  private func serve(
    _ part: ViewfinderPart, _ number: Int, _ messages: ViewfinderStream, _ context: CallContext
  ) async throws {
    try await check(part, context.principal)
    switch part {
    case .preview(let id, let request):
      try await previews.withReader(request, since: .now()) { reader in
        try await messages.show(
          reader, as: id, window: Int(request.maxUnacknowledgedFrames), for: number)
      }
    case .session(let name): try await serve(session: name, number, messages)
    case .pressure:
      try await pressure.watchSystemPressure(
        .init(), context, ResponseWriter { try await messages.send(.pressure($0), from: number) })
    case .devices:
      try await devices.watchDevices(
        .init(), context, ResponseWriter { try await messages.send(.device($0), from: number) })
    case .levels(let name):
      let session = try await sessions.sessions.session(named: name, field: "contents.metered_sessions")
      try await sessions.watchAudioLevels(
        of: session,
        ResponseWriter { try await messages.send(.session(name, .audioLevels, $0), from: number) })
    }
  }

  /// Serves what happens to a session. This is no use of the session, because a viewfinder shows the events of sessions
  /// of other clients, which would otherwise never expire. Its previews are uses.
  private func serve(session name: String, _ number: Int, _ messages: ViewfinderStream) async throws {
    @Sendable func send(_ field: ViewfinderMessage.SessionField, _ message: LentMessage) async throws {
      try await messages.send(.session(name, field, message), from: number)
    }
    let session = try await sessions.sessions.session(named: name, field: "contents.sessions")
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await sessions.watch(session, after: "", ResponseWriter { try await send(.event, $0) }) }
      group.addTask {
        try await whilePhotoOutput(of: session) {
          try await photos.watchCaptures(of: $0, after: "", ResponseWriter { try await send(.capture, $0) })
        }
      }
      group.addTask {
        try await whilePhotoOutput(of: session) {
          try await photos.watchReadiness(of: $0, ResponseWriter { try await send(.readiness, $0) })
        }
      }
    }
  }

  /// Runs `watch`, which watches the photo output of a session, until the task is cancelled. Runs it again when a
  /// commit replaces the photo output. When the session has none, the next event of the session may bring one.
  private func whilePhotoOutput(
    of session: CaptureSession, _ watch: (PhotoOutput) async throws -> Void
  ) async throws {
    while true {
      let position = session.events.lastID
      do { try await watch(try await session.output("", as: PhotoOutput.self, named: "photo")) } catch let error
        as CaptureError where error.reason == .outputRemoved
      {
        continue
      } catch let error as CaptureError where error.reason == .outputNotFound {
        _ = try await session.events.entry(after: position)
      }
      // The watch of readiness ends without an error when its task is cancelled.
      try Task.checkCancellation()
    }
  }
}
