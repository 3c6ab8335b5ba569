/// Finds the cameras of one kind and opens them. The daemon has one provider for V4L2 cameras and one for synthetic
/// cameras.
public protocol DeviceProvider: Sendable {
  /// Looks for cameras and returns all that are present now. A camera with several nodes appears once. Looking does not
  /// disturb a running stream.
  func devices() async -> [Device]

  /// The cameras as the provider last saw them. The provider asks no camera, so that a camera that does not answer
  /// cannot delay the caller. Only until the provider has looked for cameras the first time does the caller wait.
  func knownDevices() async -> [Device]

  /// The camera as the provider last saw it, so that a start need not wait until the provider has asked every other
  /// camera. The provider looks for a camera that it does not know. Nil when there is no such camera.
  func knownDevice(_ id: String) async -> Device?

  /// The changes to the cameras from the moment of the call until the consumer stops iterating. A consumer that is too
  /// slow loses the oldest changes and never blocks the provider, so the consumer should read ``devices()`` again after
  /// each change.
  func changes() -> AsyncStream<DeviceChange>

  /// The stream that the camera would deliver for `request`. The provider neither starts nor claims the camera for the
  /// answer (V4L2: `VIDIOC_TRY_FMT`).
  ///
  /// - Throws: `deviceNotFound`, `formatNotSupported`, `deviceDisconnected`, `deviceNotResponding`,
  ///   `deviceAccessDenied`.
  func resolve(_ request: StreamRequest, on deviceID: String) async throws(CaptureError) -> StreamFormat

  /// The camera's controls with their present values, in the driver's order. Reading them does not disturb a running
  /// stream.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected`, `deviceNotResponding`, `deviceInUse`, `deviceAccessDenied`,
  ///   `deviceFailed`.
  func controls(of deviceID: String) async throws(CaptureError) -> [Control]

  /// Sets the controls one after the other, each independently of the others. A running stream goes on meanwhile.
  ///
  /// - Returns: the result of each setting, in the order of `settings`.
  /// - Throws: the errors of ``controls(of:)``; in this case, the provider has set no control.
  func set(_ settings: [ControlSetting], on deviceID: String) async throws(CaptureError) -> [ControlResult]

  /// Opens the camera, sets its format and rate, and starts a stream into `sink`. The method returns after STREAMON;
  /// the first frames may reach `sink` before that.
  ///
  /// When the method throws, it has closed again everything that it opened.
  ///
  /// - Throws: the errors of ``resolve(_:on:)``, `deviceInUse`, `bandwidthExceeded`, `deviceFailed`.
  func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource

  /// How long to wait before an output of a session with this camera is prepared, in addition to the output's own work.
  /// Only synthetic cameras declare such a delay, to stand for machines with slow encoders and processors.
  func initDelay(ofOutput id: String, on deviceID: String) async -> Duration

  /// Does work ahead of time that the first start would otherwise have to do, as far as this disturbs no user. The
  /// daemon calls this method once, when the daemon starts.
  func prewarm() async
}

extension DeviceProvider {
  /// The answer of ``devices()``, unless the provider remembers its cameras and implements this method.
  public func knownDevices() async -> [Device] { await devices() }
  /// The camera among those of ``devices()``, unless the provider implements this method; nil when there is no such
  /// camera.
  public func knownDevice(_ id: String) async -> Device? { await devices().first { $0.id == id } }
  /// No delay, unless the provider implements this method.
  public func initDelay(ofOutput id: String, on deviceID: String) async -> Duration { .zero }
  /// Does nothing, unless the provider implements this method.
  public func prewarm() async {}
}

/// A camera that is streaming. The source owns the camera's file descriptor and the capture thread.
public protocol FrameSource: AnyObject, Sendable {
  /// The ``Device/id`` of the camera.
  var deviceID: String { get }
  /// The ``Frame/streamID`` of every frame of this source.
  var streamID: UInt64 { get }
  /// The format of the stream, as the driver confirmed it.
  var format: StreamFormat { get }

  /// Stops the stream (STREAMOFF), then closes the camera. When this method returns, another process can open the
  /// camera, and the source does not call `sink` any more. Calling this method twice, or after the camera was lost, is
  /// harmless.
  func stop() async
}

/// The receiver of a source's frames. The source calls it on its capture thread, one call at a time, so no method may
/// block.
public protocol FrameSink: Sendable {
  /// Takes the next frame. Every frame comes, in the driver's order.
  func receive(_ frame: Frame)

  /// Takes the next frame of a composition, which has the layers of a revision of the configuration. The revision may
  /// be the former one by now, because composing takes time.
  func receive(_ frame: Frame, ofRevision revision: UInt64)

  /// Notes that the camera delivered a damaged picture, which the sink will not receive. The source calls this at once;
  /// the next frame, if one comes, counts the damaged picture too (``Frame/missing``).
  func pictureWasDamaged()

  /// Notes that the camera does something otherwise than its driver says. The source calls this once for each oddity of
  /// a stream.
  func sourceIsOdd(_ oddity: SourceOddity)

  /// Notes that the camera stopped delivering frames. The source calls this at once and closes the camera afterwards,
  /// because closing may take as long as it takes to find out that the camera does not answer either. When the camera
  /// is closed, ``sourceDidEnd(_:)`` follows.
  func sourceDidStall(_ error: CaptureError)

  /// Notes that the camera was lost or failed. This is the last call of a source. The source does not make this call
  /// after ``FrameSource/stop()``.
  func sourceDidEnd(_ error: CaptureError)
}

extension FrameSink {
  /// Takes the frame like a camera's, unless the sink implements this method.
  public func receive(_ frame: Frame, ofRevision revision: UInt64) { receive(frame) }
  /// Does nothing, unless the sink counts damaged pictures and implements this method.
  public func pictureWasDamaged() {}
  /// Does nothing, unless the sink implements this method.
  public func sourceIsOdd(_ oddity: SourceOddity) {}
  /// Does nothing, unless the sink implements this method.
  public func sourceDidStall(_ error: CaptureError) {}
}

/// Something that a camera does otherwise than its driver says, and that its source makes up for.
public enum SourceOddity: Hashable, Sendable, CustomStringConvertible {
  /// The time stamps of the driver cannot be true, so that frames have the times of their arrival.
  case untrueTimeStamps
  /// Every picture has the size `found` in place of `told`, the one that the driver confirmed. The frames have the size
  /// `published`, which is less than `found` where the camera only fills its last blocks up.
  case otherPictureSize(told: Size, found: Size, published: Size)

  /// A sentence for the log.
  public var description: String {
    switch self {
    case .untrueTimeStamps:
      """
      The driver's time stamps stand still, go back or belong to another clock; frames have the times of their arrival.
      """
    case .otherPictureSize(let told, let found, let published):
      "The driver confirmed pictures of \(told), and the camera sends \(found); frames have \(published)."
    }
  }
}
