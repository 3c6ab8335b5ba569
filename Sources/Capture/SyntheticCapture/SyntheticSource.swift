internal import CaptureCore
internal import Locking
internal import SystemClocks

/// A running synthetic camera: a thread that renders and publishes one frame per tick.
final class SyntheticSource: FrameSource {
  /// The format of the stream, and whether the sensor bins.
  struct Mode: Hashable, Sendable {
    var format: StreamFormat
    var isBinned: Bool
  }

  let streamID = StreamID.next()
  var deviceID: String { camera.device.id }
  var format: StreamFormat { mode.format }

  private enum Ending {
    case stopped
    case lost(CaptureError)
  }
  /// Why the thread must end; nothing while the stream runs.
  private let ending = Event<Ending>()
  private let ended = Event<Void>()
  private let alarm = Alarm()
  private let camera: SyntheticCamera
  private let configuration: SyntheticCameraConfiguration
  private let mode: Mode
  private let pool: FramePool
  private let patience: StallPatience
  private let sink: any FrameSink

  init(
    camera: SyntheticCamera, configuration: SyntheticCameraConfiguration, mode: Mode, pool: FramePool,
    patience: StallPatience, sink: any FrameSink
  ) {
    self.patience = patience
    self.camera = camera
    self.configuration = configuration
    self.mode = mode
    self.pool = pool
    self.sink = sink
  }

  /// Starts the thread, which keeps the source alive until the thread ends.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func launch() throws(CaptureError) {
    try WorkerThread.start(name: deviceID) { self.run() }
  }

  func stop() async {
    end(.stopped)
    await ended.wait()
  }

  /// Ends the stream with `error`, as the stream of a device that vanished ends.
  func lose(_ error: CaptureError) { end(.lost(error)) }

  /// Wakes the thread, so that the thread looks at the camera's fault plan again.
  func faultsDidChange() { alarm.ring() }

  private func end(_ ending: Ending) {
    self.ending.happen(ending)
    alarm.ring()
  }

  private func run() {
    stream()
    // The camera is free for the next source before the sink and the waiting callers of `stop` hear of the end.
    camera.sourceDidEnd(self)
    if case .lost(let error) = ending.valueIfHappened { sink.sourceDidEnd(error) }
    ended.happen()
  }

  private func stream() {
    let renderer =
      camera.renderers.take(format.layout, isBinned: mode.isBinned)
      ?? FrameRenderer(
        configuration: configuration, settings: camera.sensorSettings, camera: camera.number, layout: format.layout,
        isBinned: mode.isBinned)
    defer { camera.renderers.put(renderer, format.layout, isBinned: mode.isBinned) }
    let start = MonotonicInstant.now()
    let sleep = SleepGauge.start()
    var schedule = TickSchedule(start: start, rate: format.frameRate)
    var stall = StallWatch(start: start, rate: format.frameRate, patience: patience)
    var missing = DropCounts()
    while ending.valueIfHappened == nil {
      let plan = camera.plan
      let due = plan.publication(ofTick: schedule.instant(of: schedule.next))
      let boot = BootInstant.now()
      let now = MonotonicInstant.now()
      if let slept = sleep.slept(boot: boot, monotonic: now) {
        return end(.lost(.slept(slept, device: deviceID)))
      }
      guard now >= due else {
        guard now < stall.deadline else {
          let error = CaptureError.stalled(device: deviceID, silence: stall.silence(at: now), damaged: stall.damaged)
          sink.sourceDidStall(error)
          return end(.lost(error))
        }
        alarm.sleep(until: min(due, stall.deadline))
        continue
      }
      let tick = schedule.take(now: now - plan.lateNanoseconds)
      missing.discontinuity += tick.skipped
      switch camera.takeFate() {
      case .delivered: stall.noteFrame(at: now)
      case .dropped:
        missing.discontinuity += 1
        continue
      case .damaged:
        stall.noteDamage()
        missing.damaged += 1
        sink.pictureWasDamaged()
        continue
      }
      guard let memory = pool.take(format.layout.byteCount) else {
        missing.outOfBuffers += 1
        continue
      }
      let instant = schedule.instant(of: tick.number)
      let wall = WallClock.shared.wallInstant(at: instant)
      let settings = camera.sensorSettings.at(instant)
      renderer.apply(settings)
      renderer.render(
        sequence: tick.number, time: wall, brightness: plan.brightness(ofTick: tick.number),
        into: memory.bytes.baseAddress!)
      let time = FrameTime(monotonic: instant, wall: wall, source: .startOfExposure)
      sink.receive(
        Frame(
          streamID: streamID, sequence: tick.number, time: time, layout: format.layout,
          buffer: memory.freeze(count: format.layout.byteCount), missing: missing, sensor: settings.readings))
      missing = DropCounts()
    }
  }
}

/// The instants at which the frames are exposed: multiples of the period after a fixed start, so that no errors add up,
/// in whole microseconds, as V4L2 has them. A value without threads.
struct TickSchedule: Hashable, Sendable {
  /// The number of ticks that may be due at the same time. When more are due, all but the newest are skipped. The
  /// number is that of the buffers in a driver's queue.
  static let backlog: UInt64 = 4

  private let start: MonotonicInstant
  private let rate: Rational
  /// The sequence number of the next tick.
  private(set) var next: UInt64 = 0

  /// - Parameters:
  ///   - start: the instant of tick 0.
  ///   - rate: ticks per second.
  init(start: MonotonicInstant, rate: Rational) {
    self.start = start
    self.rate = rate
  }

  /// The instant of tick `number`.
  func instant(of number: UInt64) -> MonotonicInstant {
    start + number * 1_000_000 * UInt64(rate.denominator) / UInt64(rate.numerator) * 1000
  }

  /// Consumes the tick whose frame the camera renders at `now`: the next tick, or the newest one when too many are due.
  ///
  /// - Parameter now: not before the instant of ``next``.
  /// - Returns: the number of the tick, and how many ticks were skipped before it.
  mutating func take(now: MonotonicInstant) -> (number: UInt64, skipped: UInt64) {
    var newest = max(
      next,
      now.nanoseconds(since: start) * UInt64(rate.numerator) / (1_000_000_000 * UInt64(rate.denominator)))
    // A tick is rounded down to an instant, and an instant down to a tick, so that `newest` can be one too small.
    if instant(of: newest + 1) <= now { newest += 1 }
    let number = newest - next < Self.backlog ? next : newest
    defer { next = number + 1 }
    return (number, number - next)
  }
}
