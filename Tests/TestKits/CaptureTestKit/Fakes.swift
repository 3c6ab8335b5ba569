public import CaptureCore
public import SystemClocks

extension Device {
  /// Makes a camera.
  ///
  /// - Parameter formats: the camera's formats; nil for NV12 and YUYV at 640 × 360 and 1280 × 720, each with 30 and 15
  ///   frames per second.
  public static func fake(id: String = "fake-0", formats: [DeviceFormat]? = nil) -> Device {
    let usual = [Size(width: 1280, height: 720), Size(width: 640, height: 360)].flatMap { size in
      [DeviceFormat.fake(.nv12, size), DeviceFormat.fake(.yuyv, size)]
    }
    return Device(
      id: id, displayName: "Fake camera", type: .external, driver: "fake", location: "test:\(id)",
      formats: formats ?? usual)
  }
}

extension DeviceFormat {
  /// Makes a format of one size.
  ///
  /// - Parameters:
  ///   - rates: the frames per second that the format offers, highest first.
  ///   - isBinned: whether the sensor combines groups of pixels; nil for a camera that does not tell.
  public static func fake(
    _ pixelFormat: PixelFormat, _ size: Size, rates: [UInt32] = [30, 15], isBinned: Bool? = false
  ) -> DeviceFormat {
    DeviceFormat(
      pixelFormat: pixelFormat, description: "\(pixelFormat) \(size)", frameSize: .discrete(size),
      frameDurations: .discrete(rates.map { Rational(1, $0) }), isBinned: isBinned)
  }
}

extension Frame {
  /// Makes a frame whose every byte is `value`. The wall clock of its time stamp is ``fakeWallOffset`` ahead of its
  /// monotonic clock.
  ///
  /// - Parameters:
  ///   - time: when the frame was captured.
  ///   - missing: the frames that the driver left out before this one.
  ///   - pool: the pool that gives the frame's memory; nil for a pool of its own.
  ///   - sensor: the settings of the sensor for this frame.
  /// - Returns: nil when `pool` is used up.
  public static func fake(
    sequence: UInt64, streamID: UInt64 = 1, at time: MonotonicInstant,
    layout: FrameLayout = .packed(.nv12, Size(width: 64, height: 36))!, filledWith value: UInt8 = 128,
    missing: DropCounts = DropCounts(), pool: FramePool? = nil, sensor: SensorReadings = SensorReadings()
  ) -> Frame? {
    // The layout of a compressed format has no planes and no bytes, so 16 bytes stand for the picture.
    let count = max(layout.byteCount, 16)
    guard let memory = (pool ?? FramePool(budget: 8 * (count + 4096))).take(count) else { return nil }
    _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: value)
    let time = FrameTime(
      monotonic: time, wall: WallInstant(nanoseconds: time.nanoseconds + fakeWallOffset), source: .startOfExposure)
    return Frame(
      streamID: streamID, sequence: sequence, time: time, layout: layout, buffer: memory.freeze(count: count),
      missing: missing, sensor: sensor)
  }

  /// How far the wall clock of fake frames is ahead of their monotonic clock, in nanoseconds. Monotonic 0 is 2025-06-15
  /// 15:06:40 UTC.
  public static let fakeWallOffset: UInt64 = 1_750_000_000 * 1_000_000_000
}
