internal import CaptureCore
internal import Imaging
internal import SystemClocks

/// Collects the frames of one step of a shot. A value.
struct ShotExposure: Sendable {
  let ticket: CapturePlace.Ticket
  private let request: PhotoRequest
  private let conditions: ShotConditions
  /// Decides which frame is the first one with the new settings; nil when that frame has come already.
  private var gate: FrameGate?
  /// The photo's own frame, with the frames that followed it so far.
  private(set) var taken: HeldFrame?
  /// How many frames are still to come.
  private var missing: Int
  /// Gets the frames, once. It ends without them when no frames will come.
  let waiter: PhotoQueueActions.ExposureWaiter

  /// - Parameter followsOwn: whether a frame of this step came before and was damaged. The frames after it have the new
  ///   settings.
  init(
    _ ticket: CapturePlace.Ticket, _ job: PhotoJob, _ conditions: ShotConditions, followsOwn: Bool,
    waiter: PhotoQueueActions.ExposureWaiter
  ) {
    self.ticket = ticket
    request = job.request
    self.conditions = conditions
    gate = followsOwn ? nil : FrameGate(conditions)
    missing = request.exposure.mergesBracket ? 1 : job.frameCount
    self.waiter = waiter
  }

  /// Takes the next frame of the stream.
  ///
  /// - Returns: the frames, once all have come; the reason why there will be none; nil while some are missing.
  mutating func offer(_ frame: CapturedFrame, now: MonotonicInstant) -> Result<HeldFrame, CaptureError>? {
    if taken != nil {
      taken?.capturePhase.end = now
      missing -= 1
      let mayFollow = taken?.add(frame.frame) == true
      return missing == 0 || !mayFollow ? taken.map { .success($0) } : nil
    }
    guard gate?.admits(frame.frame, luma: { frame.frame.quickLuma }) != false else { return nil }
    if let latest = conditions.latest, frame.frame.exposureEnd > latest {
      return .failure(
        CaptureError(
          .operationInterrupted,
          "The flash went out before the camera took a frame; light it for longer, or use a torch."))
    }
    var held = FrameChoice.accept(frame, for: request)
    held.conditions = conditions
    held.heldAt = now
    held.capturePhase.end = now
    guard frame.frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera) else {
      return .failure(
        CaptureError(.outOfBuffers, "There is no memory to hold another frame of the capture; take fewer at once."))
    }
    missing -= 1
    if missing == 0 { return .success(held) }
    taken = held
    return nil
  }
}

extension HeldFrame {
  /// All frames of a shot, as the frame of its first photo with those of the others, or as one photo of them all.
  init(_ frames: [HeldFrame], _ request: PhotoRequest, _ orientation: Orientation) {
    var frames = frames
    for index in frames.indices { frames[index].orientation = orientation }
    let end = frames.last!.capturePhase.end
    self = frames.remove(at: request.exposure.mergesBracket ? request.exposure.bracketReference : 0)
    if request.exposure.mergesBracket {
      mergesExposures = true
      neighbours = frames.map { Neighbour($0.captured.frame) }
    } else {
      following = frames
    }
    capturePhase.end = end
  }
}

extension Frame {
  /// When the exposure ended, as far as the driver says.
  fileprivate var exposureEnd: MonotonicInstant {
    let exposure = time.source == .startOfExposure ? sensor.exposureNanoseconds ?? 0 : 0
    return time.monotonic + exposure
  }

  /// The mean luma; nil for a compressed frame, because the capture thread has no time to decode it.
  fileprivate var quickLuma: Double? { layout.planes.isEmpty ? nil : MeanLuma.measure(picture) }
}

extension HeldFrame {
  /// The sensor's settings for the photo. When the driver's readings are older than the frame, the settings that the
  /// shot made replace them.
  var sensor: SensorReadings {
    var sensor = captured.frame.sensor
    if !sensor.isOfFrame {
      if let conditions {
        let set = conditions.readings
        let told = conditions.settles || hasForeignReadings ? SensorReadings() : sensor
        sensor.exposureNanoseconds = set.exposureNanoseconds ?? told.exposureNanoseconds
        sensor.gain = set.gain ?? told.gain
        sensor.exposureBias = set.exposureBias ?? told.exposureBias
        sensor.isFlashOn = conditions.isFlashOn
      } else if hasForeignReadings {
        sensor = SensorReadings()
      }
    }
    if mergesExposures { (sensor.exposureNanoseconds, sensor.gain, sensor.exposureBias) = (nil, nil, nil) }
    return sensor
  }
}
