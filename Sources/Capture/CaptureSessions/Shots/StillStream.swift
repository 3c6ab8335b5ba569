internal import CaptureCore
internal import Logging

/// Has a camera stream a larger size for the moment of one photo.
///
/// The session keeps its state, its configuration and its camera. Only the photo output gets the large frames; the other
/// outputs are told that none come, and go on with a new stream.
struct StillStream {
  let pipeline: CameraPipeline
  let input: ResolvedConfiguration.Input
  let devices: DeviceRegistry

  /// Streams in `size` from now on, with ``end(in:)`` to follow; when it cannot, all is as before.
  func begin(_ size: Size, in session: isolated CaptureSession) async throws(CaptureError) {
    var still = input
    still.request.size = size
    // Asked beforehand, for then nothing is touched.
    let expected = try await devices.resolve(still.request, on: input.deviceID)
    guard expected.layout.size == size else {
      throw CaptureError(
        .formatNotSupported, "\(input.deviceID) delivers \(expected.layout.size) where \(size) was asked for.",
        metadata: ["device": input.deviceID, "size": "\(size)"])
    }
    tell(true, in: session)
    await pipeline.stop()
    let committed = session.committed
    session.outputs.connectPhotos(of: committed.resolved, revision: committed.revision, to: pipeline)
    do throws(CaptureError) { try await pipeline.start(still, window: 0, format: expected) } catch {
      await end(in: session)
      throw error
    }
  }

  /// Streams as configured again. Should that fail, the session is interrupted, or ends as when the camera fails.
  func end(in session: isolated CaptureSession) async {
    await pipeline.stop()
    let committed = session.committed
    session.outputs.connect(
      session.outputs.hosted, by: committed.resolved, revision: committed.revision, to: [pipeline])
    tell(false, in: session)
    do throws(CaptureError) {
      try await pipeline.start(
        input, window: committed.resolved.zeroShutterLagWindow, format: committed.formats[pipeline.index])
    } catch {
      session.port.logger.warning("stream not resumed after a photo", metadata: ["error": "\(error.message)"])
      await session.apply(.sourceLost(error.sinceCommit), to: pipeline)
    }
  }

  private func tell(_ isTakingStill: Bool, in session: isolated CaptureSession) {
    session.outputs.update { $0.status.isTakingStill = isTakingStill }
    session.port.events.append(.stillCapture(isTakingStill))
  }
}
