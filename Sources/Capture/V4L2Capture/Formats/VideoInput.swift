internal import CV4L2
internal import CaptureCore
internal import Glibc

/// The video input that a node is set to, and the source at it. An HDMI input has DV timings, which a program sets to
/// those of the signal; the driver never does that by itself. Other inputs have none.
struct VideoInput {
  let node: VideoNode
  private let index: UInt32
  private let hasTimings: Bool

  /// Asks the driver which input the node is set to. A driver without inputs has one without DV timings.
  init(of node: VideoNode) {
    self.node = node
    var (index, input): (Int32, v4l2_input) = (0, v4l2_input())
    do {
      try node.perform(.getInput, &index)
      input.index = UInt32(bitPattern: index)
      try node.perform(.enumerateInputs, &input)
    } catch {
      input.capabilities = 0
    }
    self.index = UInt32(bitPattern: index)
    hasTimings = input.capabilities & UInt32(V4L2_IN_CAP_DV_TIMINGS) != 0
  }

  /// Asks the driver to tell the node's descriptor of changes of the source.
  ///
  /// - Returns: false when the driver has no such event.
  func subscribeToSource() -> Bool {
    var subscription = v4l2_event_subscription()
    subscription.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
    subscription.id = index
    do { try node.perform(.subscribeEvent, &subscription) } catch { return false }
    return true
  }

  /// Takes the events that wait.
  ///
  /// - Returns: whether the source has another size, or its signal came or went.
  func takeSourceChange() -> Bool {
    var hasChanged = false
    // The driver keeps one event of a subscription, with all its changes.
    for _ in 0..<4 {
      var event = v4l2_event()
      do { try node.perform(.dequeueEvent, &event) } catch { break }
      guard event.type == UInt32(V4L2_EVENT_SOURCE_CHANGE) else { continue }
      hasChanged = hasChanged || event.u.src_change.changes & CV4L2_EVENT_SRC_CH_RESOLUTION != 0
    }
    return hasChanged
  }

  /// Sets the DV timings to those of the signal, so that the formats of the node are those of its source. Does nothing
  /// for an input without DV timings. No program may have buffers of a node whose timings change.
  ///
  /// - Throws: what the driver says of the signal, see ``VideoNodeError/lacksSignal``; EBUSY while a program has
  ///   buffers; ENODEV when the device is gone.
  func followSignal() throws(VideoNodeError) {
    guard hasTimings else { return }
    var timings = v4l2_dv_timings()
    do { try node.perform(.queryTimings, &timings) } catch {
      // A driver that cannot tell the timings of the signal captures with those that were set.
      guard error.lacksSignal else { return }
      throw error
    }
    do { try node.perform(.setTimings, &timings) } catch {
      guard error.lacksSignal || error.isLoss || error.errno.rawValue == EBUSY else { return }
      throw error
    }
  }

  /// Why the source gives no pictures now; nil when it does, or when the driver cannot tell.
  func absence() -> VideoNodeError? {
    guard hasTimings else { return nil }
    var timings = v4l2_dv_timings()
    do { try node.perform(.queryTimings, &timings) } catch { return error.lacksSignal ? error : nil }
    return nil
  }
}

extension VideoNodeError {
  /// Whether the driver says of the signal that there is none (ENOLINK), that it is not stable (ENOLCK) or that the
  /// device cannot capture it (ERANGE). EINVAL is what some drivers answer to timings of the last kind.
  var lacksSignal: Bool {
    switch call {
    case VideoRequest.queryTimings.name: [ENOLINK, ENOLCK, ERANGE].contains(errno.rawValue)
    case VideoRequest.setTimings.name: [ERANGE, EINVAL].contains(errno.rawValue)
    default: false
    }
  }
}

extension CaptureError {
  /// The error to report when the source at the input of `deviceID` gives no pictures.
  static func noSignal(_ error: VideoNodeError, device deviceID: String) -> CaptureError {
    let what =
      switch error.errno.rawValue {
      case ENOLINK: "has no signal at its input; connect and switch on the source"
      case ENOLCK: "has a signal at its input that is not stable; try another cable"
      default: "has a signal at its input that it cannot capture; let the source send another size or rate"
      }
    return CaptureError(
      .noSignal, "\(deviceID) \(what) (\(error.call): \(error.errno.name)).",
      metadata: ["device": deviceID, "call": error.call, "errno": error.errno.name])
  }

  /// The error to report when the driver says that the source of `deviceID` has changed, so that the stream is over.
  static func sourceChanged(device deviceID: String) -> CaptureError {
    CaptureError(
      .formatNotSupported,
      "The source of \(deviceID) has changed; the daemon looks for the format that the camera has now.",
      metadata: ["device": deviceID])
  }
}
