internal import CV4L2
internal import CaptureCore
internal import Glibc
internal import HotPlug
internal import SystemClocks

/// Takes every frame of a running stream from the driver, in order, and publishes it. Runs on the capture thread.
struct CaptureLoop {
  let node: VideoNode
  let queue: BufferQueue
  let reader: FrameReader
  let streamID: UInt64
  let sink: any FrameSink
  var clock: FrameClock
  private var watch: StreamWatch
  private var sequences = SequenceTracker()
  private var sensor = SensorWatch()
  private var keyFrames = KeyFrameRequests()
  private var toldOddities: Set<SourceOddity> = []

  init(
    node: VideoNode, queue: BufferQueue, reader: FrameReader, streamID: UInt64, sink: any FrameSink,
    clock: FrameClock, watch: StreamWatch
  ) {
    self.node = node
    self.queue = queue
    self.reader = reader
    self.streamID = streamID
    self.sink = sink
    self.clock = clock
    self.watch = watch
  }

  /// Publishes frames until `shouldStop` returns true, the camera stalls or the machine was suspended. The owner
  /// signals `wakeup` after a change of `shouldStop`, because the loop may be waiting for a frame.
  ///
  /// - Throws: the error of the call that failed when the device is lost or fails.
  mutating func run(wakeup: Wakeup, until shouldStop: () -> Bool) throws(VideoNodeError) -> StreamWatch.Ending {
    var waiting = [
      pollfd(fd: node.descriptor, events: Int16(watch.events), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while !shouldStop() {
      // Each whole frame postpones the deadline after which the camera counts as stalled, so that the thread wakes up
      // for frames only.
      do { try node.syscalls.poll(&waiting, milliseconds: watch.patience) } catch {
        throw VideoNodeError(call: "poll", errno: error)
      }
      if waiting[1].revents != 0 { wakeup.clear() }
      let events = Int32(waiting[0].revents)
      guard events != 0 else {
        if let ending = watch.ending(of: node, sensor) { return ending }
        continue
      }
      if let ending = watch.ending(at: events) { return ending }
      var taken = 0
      // The loop takes all filled buffers: several frames may have come while the thread waited for a processor.
      while !shouldStop(), let buffer = try queue.dequeue() {
        if let ending = try handle(buffer) { return ending }
        taken += 1
      }
      if events & (POLLERR | POLLHUP | POLLNVAL) != 0, taken == 0, !shouldStop() {
        // VIDIOC_DQBUF gave no error, so the events must name the cause. An unregistered device reports POLLERR
        // together with POLLHUP or POLLNVAL; a stream that failed on a present device reports only POLLERR.
        throw VideoNodeError(call: "poll", errno: Errno(events & (POLLHUP | POLLNVAL) != 0 ? ENODEV : EIO))
      }
      // When damaged pictures come without a pause, `poll` always finds an event, so the loop checks for a stall here
      // too.
      if watch.stall.damaged > 0, let ending = watch.ending(of: node, sensor) { return ending }
    }
    return .stopped
  }

  /// Publishes the frame in `buffer`, or counts why the frame was not published.
  ///
  /// - Returns: why the stream ends; nil when it goes on.
  private mutating func handle(_ buffer: FilledBuffer) throws(VideoNodeError) -> StreamWatch.Ending? {
    let now = MonotonicInstant.now()
    let outcome = reader.read(buffer)
    if case .lent = outcome {
      queue.lend(buffer.index)
    } else {
      // The driver gets its buffer back before the sink receives the frame, so that a slow sink cannot delay the
      // driver.
      try queue.requeue()
    }
    switch outcome {
    case .damaged:
      watch.stall.noteDamage()
      sequences.lose(.damaged)
      sink.pictureWasDamaged()
    case .incomplete:
      // The camera works, and each restart would end the movies that are being recorded.
      if keyFrames.mayCome(at: now) { watch.stall.noteFrame(at: now) } else { watch.stall.noteDamage() }
      sequences.lose(.damaged)
      sink.pictureWasDamaged()
    case .noPicture:
      watch.stall.noteFrame(at: now)
      sequences.pass(buffer.sequence)
    case .outOfBuffers:
      watch.stall.noteFrame(at: now)
      sequences.lose(.outOfBuffers)
    case .frame(let memory), .lent(let memory):
      watch.stall.noteFrame(at: now)
      keyFrames.noteFrame()
      guard !sequences.repeats(buffer.sequence) else { return nil }
      let (sequence, missing) = sequences.publish(buffer.sequence)
      let (monotonic, source) = clock.time(stamp: buffer.timestamp, flags: buffer.flags, now: now)
      if source == .arrival { tell(.untrueTimeStamps) }
      if let oddity = reader.oddity { tell(oddity) }
      let time = FrameTime(monotonic: monotonic, wall: WallClock.shared.wallInstant(at: monotonic), source: source)
      // The machine may have been suspended while this thread handled the frame. The frame is from before that, and the
      // offset of the wall clock may be from after it, so nobody gets the frame.
      if let slept = watch.sleep() { return slept }
      sink.receive(
        Frame(
          streamID: streamID, sequence: sequence, time: time, layout: reader.layout, buffer: memory, missing: missing,
          sensor: sensor.readings, coded: reader.coded))
      // The sensor is asked after the frame was published, so that the frame does not wait for the camera's answer.
      sensor.update(from: node, now: now)
      watch.stall.noteExposure(sensor.readings.exposureNanoseconds ?? 0)
    }
    if reader.isVideo { keyFrames.update(isWanted: reader.takeKeyFrameRequest(), node: node, now: now) }
    return nil
  }

  /// Tells the sink what the camera does otherwise than its driver says, once.
  private mutating func tell(_ oddity: SourceOddity) {
    if toldOddities.insert(oddity).inserted { sink.sourceIsOdd(oddity) }
  }
}

/// Watches whether a stream goes on, and says why it ends where the driver reports no error. A value.
struct StreamWatch {
  /// Why a stream ended without an error of the driver.
  enum Ending: Hashable {
    /// The owner of the stream asked it to stop.
    case stopped
    /// No whole picture came for `silence` nanoseconds. In this time, `damaged` damaged pictures came.
    case stalled(silence: UInt64, damaged: UInt64)
    /// The machine was suspended for so many nanoseconds.
    case slept(UInt64)
    /// The driver says that the source has changed. Frames of the new source need another start of the stream, also
    /// where their size is the same.
    case sourceChanged
  }

  var stall: StallWatch
  private let gauge: SleepGauge
  /// The input whose driver tells of changes of the source; nil when the driver does not.
  private let source: VideoInput?

  init(stall: StallWatch, sleep gauge: SleepGauge, source: VideoInput?) {
    self.stall = stall
    self.gauge = gauge
    self.source = source
  }

  /// The events of the device that the capture thread waits for.
  var events: Int32 { source == nil ? POLLIN : POLLIN | POLLPRI }

  /// The milliseconds until the stream counts as stalled, rounded up: a wait that ends just before its deadline would
  /// be followed by a wait of 0 ms.
  var patience: Int32 { Int32(clamping: (stall.deadline.nanoseconds(since: .now()) + 999_999) / 1_000_000) }

  /// Why the stream ends at `events` of the device, before any frame that waits is taken; nil when it goes on.
  func ending(at events: Int32) -> Ending? {
    // The check comes before the first frame after the machine woke up, because a time stamp from before the sleep
    // and one from after it cannot be compared.
    if let slept = sleep() { return slept }
    // The frames that wait are left out, since some drivers have filled them without a signal.
    return events & POLLPRI != 0 && source?.takeSourceChange() == true ? .sourceChanged : nil
  }

  /// Why the stream ends when no whole picture comes; nil when it is too early to say.
  mutating func ending(of node: VideoNode, _ sensor: SensorWatch) -> Ending? {
    if let slept = sleep() { return slept }
    let now = MonotonicInstant.now()
    guard now >= stall.deadline else { return nil }
    // The camera may still be exposing, because a client may have set a long exposure since the last frame.
    let silence = stall.silence(at: now)
    stall.noteExposure(sensor.exposure(of: node, thatExplains: silence))
    return .now() >= stall.deadline ? .stalled(silence: silence, damaged: stall.damaged) : nil
  }

  /// The end of a stream during which the machine was suspended; nil when it was not.
  func sleep() -> Ending? {
    let boot = BootInstant.now()
    return gauge.slept(boot: boot, monotonic: .now()).map { .slept($0) }
  }
}
