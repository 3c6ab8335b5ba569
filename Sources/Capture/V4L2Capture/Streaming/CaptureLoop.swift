internal import CV4L2
internal import CaptureCore
internal import Glibc

/// Takes every frame of a running stream, in order, and publishes it. Runs on the capture thread.
struct CaptureLoop {
  /// Why a stream ended without an error of the driver.
  enum Ending: Hashable {
    case stopped
    /// No whole picture came for so many nanoseconds, and so many damaged ones did.
    case stalled(silence: UInt64, damaged: UInt64)
    /// The machine was suspended for so many nanoseconds.
    case slept(UInt64)
  }

  let node: VideoNode
  let queue: BufferQueue
  let reader: FrameReader
  let layout: FrameLayout
  let streamID: UInt64
  let sink: any FrameSink
  var clock: FrameClock
  private let wallClock = WallClock()
  private var sequences = SequenceTracker()
  private var sensor = SensorWatch()
  private var stall: StallWatch
  private let sleep: SleepGauge

  init(
    node: VideoNode, queue: BufferQueue, reader: FrameReader, layout: FrameLayout, streamID: UInt64,
    sink: any FrameSink, clock: FrameClock, stall: StallWatch, sleep: SleepGauge
  ) {
    self.node = node
    self.queue = queue
    self.reader = reader
    self.layout = layout
    self.streamID = streamID
    self.sink = sink
    self.clock = clock
    self.stall = stall
    self.sleep = sleep
  }

  /// Returns when `shouldStop` is true, of which `wakeup` tells it, and when the camera stalled or the machine slept.
  ///
  /// - Throws: when the device is lost or fails.
  mutating func run(wakeup: Wakeup, until shouldStop: () -> Bool) throws(VideoNodeError) -> Ending {
    var waiting = [
      pollfd(fd: node.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while !shouldStop() {
      // Each whole frame puts the deadline off, so that this thread wakes for frames only.
      let patience = Self.milliseconds(until: stall.deadline)
      do { try node.syscalls.poll(&waiting, milliseconds: patience) } catch {
        throw VideoNodeError(call: "poll", errno: error)
      }
      if waiting[1].revents != 0 { wakeup.clear() }
      let events = Int32(waiting[0].revents)
      guard events != 0 else {
        if let ending = ending() { return ending }
        continue
      }
      // Before the first frame after waking: its time stamp and those before it are not of one time.
      if let slept = slept() { return .slept(slept) }
      var taken = 0
      // Everything there is: several frames may have come while this thread waited for a processor.
      while !shouldStop(), let buffer = try queue.dequeue() {
        try handle(buffer)
        taken += 1
      }
      if events & (POLLERR | POLLHUP | POLLNVAL) != 0, taken == 0, !shouldStop() {
        // Dequeueing named no cause. Unregistered devices report both, and a stream that died only the error.
        throw VideoNodeError(call: "poll", errno: Errno(events & (POLLHUP | POLLNVAL) != 0 ? ENODEV : EIO))
      }
      // Damaged pictures that come without a pause would keep `poll` from ever finding nothing.
      if stall.damaged > 0, let ending = ending() { return ending }
    }
    return .stopped
  }

  /// What it means that no whole picture came; nil when it is too early to say.
  private mutating func ending() -> Ending? {
    if let slept = slept() { return .slept(slept) }
    let now = SystemClock.monotonicNanoseconds()
    guard now >= stall.deadline else { return nil }
    // Perhaps the camera is still exposing: somebody may have set a long exposure since the last frame.
    let silence = stall.silence(at: now)
    stall.noteExposure(sensor.exposure(of: node, thatExplains: silence))
    return SystemClock.monotonicNanoseconds() >= stall.deadline
      ? .stalled(silence: silence, damaged: stall.damaged) : nil
  }

  private func slept() -> UInt64? {
    let boot = SystemClock.bootNanoseconds()
    return sleep.slept(boot: boot, monotonic: SystemClock.monotonicNanoseconds())
  }

  /// Rounded up: a wait that ends just before its deadline would be followed by one of no time.
  private static func milliseconds(until deadline: UInt64) -> Int32 {
    let now = SystemClock.monotonicNanoseconds()
    return Int32(clamping: (deadline - min(deadline, now) + 999_999) / 1_000_000)
  }

  private mutating func handle(_ buffer: FilledBuffer) throws(VideoNodeError) {
    let now = SystemClock.monotonicNanoseconds()
    let outcome = reader.read(buffer)
    // Back to the driver before anyone sees the frame, so that no sink can delay it.
    try queue.requeue(buffer.index)
    switch outcome {
    case .damaged:
      stall.noteDamage()
      sequences.lose(.damaged)
      sink.pictureWasDamaged()
    case .outOfBuffers:
      stall.noteFrame(at: now)
      sequences.lose(.outOfBuffers)
    case .frame(let memory):
      stall.noteFrame(at: now)
      guard !sequences.repeats(buffer.sequence) else { return }
      let (sequence, missing) = sequences.publish(buffer.sequence)
      let (monotonic, source) = clock.time(stamp: buffer.timestamp, flags: buffer.flags, now: now)
      let time = FrameTime(
        monotonicNanoseconds: monotonic, wallNanoseconds: wallClock.wallNanoseconds(atMonotonic: monotonic),
        source: source)
      sink.receive(
        Frame(
          streamID: streamID, sequence: sequence, time: time, layout: layout, buffer: memory, missing: missing,
          sensor: sensor.readings))
      // After the frame, which has not waited for it.
      sensor.update(from: node, now: now)
      stall.noteExposure(sensor.readings.exposureNanoseconds ?? 0)
    }
  }
}
