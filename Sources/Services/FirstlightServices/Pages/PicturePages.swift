internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FrameDelivery
public import HTTPTransport
public import RPCCore
internal import VideoCoding

extension CameraServices {
  /// The pages of the daemon: those for clients which know only HTTP, such as browsers, players and programs for home
  /// automation, which show a preview and the recordings, and those for whoever watches over the daemon.
  public func pages(_ health: HealthState, _ metrics: MetricsPage) -> [HTTPPage] {
    let liveness = HTTPPage("/healthz", .server, answersAnyName: true) { HTTPAnswer("ok\n") }
    return PicturePages(sessions: sessions, delayedFeeds: delayedFeeds).all
      + RecordingPages(recordings: movies.recordings, exports: movies.exports).all
      + AssetPages(library: library).all
      + [metrics.page, readinessPage(health), liveness]
  }
}

/// Serves `/stream.mjpg`, `/snapshot.jpg`, `/stream.ts` and `/stream.mp4`. Their viewers are readers of a preview like
/// those of StreamPreview.
///
/// The pages for Motion JPEG and for one picture have the addresses of ustreamer (`/stream`, `/snapshot`) and of
/// mjpg-streamer (`/?action=stream`, and `stream_0` for its first camera) as well, which many clients have built in.
struct PicturePages: Sendable {
  let sessions: SessionRegistry
  let delayedFeeds: DelayedFeedRegistry

  var all: [HTTPPage] {
    let streams = ["/stream.mjpg", "/stream", "/?action=stream", "/?action=stream_0"].map {
      page($0, reading: "delay") { request, writer in try await stream(request, writer) }
    }
    let snapshots = ["/snapshot.jpg", "/snapshot", "/?action=snapshot", "/?action=snapshot_0"].map {
      page($0, reading: "settled") { request, writer in try await snapshot(request, writer) }
    }
    return streams + snapshots + [
      page("/stream.ts", reading: "sound") { request, writer in try await video(.mpegTS, request, writer) },
      page("/stream.mp4", reading: "sound") { request, writer in try await video(.mp4, request, writer) },
    ]
  }

  /// A page, with the parameters that it reads besides those of every page with pictures. No other site may link to it,
  /// because a link would start the camera.
  private func page(
    _ target: String, reading further: String...,
    body: @escaping @Sendable (HTTPPageRequest, HTTPPageWriter) async throws -> Void
  ) -> HTTPPage {
    HTTPPage(target, .media, parameters: PictureQuery.names + further, isOpenToLinks: false) { request, writer in
      await writer.answeringErrors { try await body(request, writer) }
    }
  }

  /// The preview that a query names, and its session.
  func preview(_ query: PictureQuery) async throws(CaptureError) -> (CaptureSession, PreviewOutput) {
    let session = try await sessions.session(of: query)
    return (session, try await session.output(query.output, as: PreviewOutput.self, named: "preview"))
  }
}

extension SessionRegistry {
  /// The id of the session that viewers get who name none.
  private static let standardID = "default"

  /// The session that a query names. A query without a session means the session `default` or, when there is none, the
  /// only session.
  ///
  /// - Throws: `sessionNotFound`, `shuttingDown`.
  fileprivate func session(of query: PictureQuery) async throws(CaptureError) -> CaptureSession {
    if let id = query.session { return try await expectedSession(id) }
    let ids = sessions().map(\.id)
    if !ids.contains(Self.standardID), ids.count == 1 { return try session(ids[0]) }
    guard ids.count < 2 || ids.contains(Self.standardID) else {
      let names = ids.joined(separator: ", ")
      throw CaptureError(
        .sessionNotFound, "There are several sessions; name one by the parameter session: \(names).",
        metadata: ["session": Self.standardID, "sessions": names], field: "session")
    }
    return try session(Self.standardID)
  }
}

extension HTTPPageWriter {
  /// Runs `body`, and answers an error that it throws before it has begun to answer.
  func answeringErrors(_ body: () async throws -> Void) async {
    do { try await body() } catch is CancellationError {
      abort()
    } catch {
      let isConflict = (error as? CaptureError)?.reason == .recordingInProgress
      send(
        HTTPAnswer(ErrorMapping.rpcError(error) ?? error as? RPCError ?? .noAnswer, status: isConflict ? 409 : nil))
    }
  }
}

extension RPCError {
  fileprivate static var noAnswer: RPCError {
    RPCError(.internal, "The answer cannot be made.", reason: "INTERNAL")
  }
}
