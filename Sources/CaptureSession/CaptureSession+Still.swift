internal import CaptureCore
internal import Logging

/// A photo larger than what the camera streams: it streams that for a moment.
///
/// The session keeps its state, its configuration and its camera. Only the photo output gets the large frames; all others
/// are told that none come, and go on with a new stream.
extension CaptureSession {
  /// Whether `size` is not what the camera streams anyway.
  func needsStill(_ size: Size?) -> Size? { size == format?.layout.size ? nil : size }

  /// Streams in `size` from now on, with ``endStill()`` to follow; when it cannot, all is as before.
  func beginStill(_ size: Size) async throws(CaptureError) {
    guard let input = resolved.input else { throw notRunning }
    var still = input
    still.request.size = size
    // Asked beforehand, for then nothing is touched.
    let expected = try await devices.resolve(still.request, on: input.deviceID)
    guard expected.layout.size == size else {
      throw CaptureError(
        .formatNotSupported, "\(input.deviceID) delivers \(expected.layout.size) where \(size) was asked for.",
        metadata: ["device": input.deviceID, "size": "\(size)"])
    }
    tell(isTakingStill: true)
    await stopSource()
    let photos = resolved.outputs.filter { $0.kind == .photo }.compactMap { outputs[$0.id]?.output }
    pipeline.configure(
      outputs: photos, input: input.id, camera: input.deviceName, revision: revision)
    do throws(CaptureError) { try await startSource(still, window: 0, format: expected) } catch {
      await endStill()
      throw error
    }
  }

  /// Streams as configured again. Should that fail, the session is interrupted, or ends as when the camera fails.
  func endStill() async {
    await stopSource()
    connect(outputs, by: resolved, revision: revision)
    tell(isTakingStill: false)
    guard let input = resolved.input else { return }
    do throws(CaptureError) {
      try await startSource(input, window: resolved.zeroShutterLagWindow, format: format)
    } catch {
      logger.warning("stream not resumed after a photo", metadata: ["error": "\(error.message)"])
      await apply(.sourceLost(Self.since(error)))
    }
  }

  private func tell(isTakingStill: Bool) {
    var status = machine.status
    status.isTakingStill = isTakingStill
    context.setStatus(status)
    for hosted in outputs.values { hosted.output.sessionDidChange(status) }
    events.append(.stillCapture(isTakingStill))
  }
}
