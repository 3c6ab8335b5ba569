public import CaptureCore

extension CaptureSession {
  /// Gives outputs at most so many frames per second of `deviceID` from now on, without touching the device; ends with the
  /// stream. Frames left out are not counted as dropped. The ring keeps every frame.
  ///
  /// - Parameter rate: frames per second; zero gives every frame again.
  /// - Throws: `sessionNotRunning` when the device does not stream for this session.
  public func setActiveFrameRate(_ rate: Rational, of deviceID: String) throws(CaptureError) {
    guard machine.status.state == .running, let source, source.deviceID == deviceID else {
      throw CaptureError(
        .sessionNotRunning, "Device \(deviceID) does not stream in session \(id); start it first.",
        metadata: ["session": id, "device": deviceID], field: "active_frame_rate")
    }
    activeRate = rate.value > 0 ? rate : nil
    setRates()
  }

  /// Has outputs get frames at the rate a client set, or at that of the ladder, whichever is lower.
  func setRates() {
    guard let source else { return }
    func decimation(_ rate: Rational?, of given: Rational) -> FrameDecimation? {
      rate.map { FrameDecimation(streamID: source.streamID, rate: $0, deviceRate: given) }
    }
    let rate = [activeRate, adaptation.deviceRate].compactMap { $0 }.min()
    let previewRate = [rate, adaptation.previewRate].compactMap { $0 }.min()
    let deviceRate = source.format.frameRate
    // The photo output gets no other frames: what it waits for comes at that rate.
    context.setFrameRate(min(rate ?? deviceRate, deviceRate).value)
    pipeline.setDecimation(
      decimation(rate, of: deviceRate), ofPreviews: decimation(previewRate, of: rate ?? deviceRate))
  }
}
