internal import CaptureCore
internal import Logging

/// Lets a camera stream in a larger size for the moment of one photo.
///
/// The session keeps its state, its configuration and its camera. Only the photo output gets the large frames. The
/// other outputs learn that no frames come for a moment, and go on with a new stream afterwards.
struct StillStream {
  let pipeline: CameraPipeline
  let input: ResolvedConfiguration.Input
  let devices: DeviceRegistry

  /// Streams in `size` from now on; call ``end(in:)`` afterwards.
  ///
  /// - Throws: why the camera cannot stream in that size. The camera then streams as configured again, or is
  ///   interrupted.
  func begin(_ size: Size, in session: isolated CaptureSession) async throws(CaptureError) {
    var still = input
    still.request.size = size
    // Ask the device before the stream stops, so that nothing has changed when the device refuses.
    let expected = try await devices.resolve(still.request, on: input.sourceID)
    guard expected.layout.size == size else {
      throw CaptureError(
        .formatNotSupported, "\(input.sourceID) delivers \(expected.layout.size) where \(size) was asked for.",
        metadata: ["device": input.sourceID, "size": "\(size)"])
    }
    let committed = session.committed
    tell(true, in: session)
    session.outputs.derivedInputs.beginWaiting(committed.resolved.derivedInputs(clockedBy: input))
    await pipeline.stop()
    session.outputs.connectPhotos(of: committed, to: pipeline)
    do throws(CaptureError) {
      try await pipeline.start(still, window: 0, cameras: committed.resolved.inputs.count, format: expected)
    } catch {
      await end(in: session)
      throw error
    }
  }

  /// Streams as configured again. If the restart fails, the session is interrupted or stops, as after a failure of the
  /// camera.
  func end(in session: isolated CaptureSession) async {
    defer { session.outputs.derivedInputs.endWaiting() }
    await pipeline.stop()
    let committed = session.committed
    session.outputs.connect(
      session.outputs.hosted, by: committed.resolved, committed.slots, revision: committed.revision, to: [pipeline])
    tell(false, in: session)
    do throws(CaptureError) { try await pipeline.start(by: committed) } catch {
      session.port.logger.warning(
        "The camera does not stream again after a photo.", metadata: ["error.message": "\(error.message)"])
      await session.apply(.sourceLost(error.sinceCommit), to: pipeline)
    }
  }

  private func tell(_ isTakingStill: Bool, in session: isolated CaptureSession) {
    session.outputs.update(clockedBy: pipeline, by: session.committed) { $0.status.isTakingStill = isTakingStill }
    session.port.events.append(.stillCapture(isTakingStill, input: input.id))
  }
}
