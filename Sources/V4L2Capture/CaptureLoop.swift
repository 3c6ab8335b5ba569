internal import CV4L2
internal import CaptureCore
internal import Glibc

/// Takes every frame of a running stream, in order, and publishes it. Runs on the capture thread.
struct CaptureLoop {
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

  init(
    node: VideoNode, queue: BufferQueue, reader: FrameReader, layout: FrameLayout, streamID: UInt64,
    sink: any FrameSink, clock: FrameClock
  ) {
    self.node = node
    self.queue = queue
    self.reader = reader
    self.layout = layout
    self.streamID = streamID
    self.sink = sink
    self.clock = clock
  }

  /// Returns when `shouldStop` is true; `wakeup` makes it look.
  ///
  /// - Throws: when the device is lost or fails.
  mutating func run(wakeup: Wakeup, until shouldStop: () -> Bool) throws(VideoNodeError) {
    var waiting = [
      pollfd(fd: node.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while !shouldStop() {
      do { try node.syscalls.poll(&waiting) } catch { throw VideoNodeError(call: "poll", errno: error) }
      if waiting[1].revents != 0 { wakeup.clear() }
      let events = Int32(waiting[0].revents)
      guard events != 0 else { continue }
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
    }
  }

  private mutating func handle(_ buffer: FilledBuffer) throws(VideoNodeError) {
    let now = SystemClock.monotonicNanoseconds()
    let outcome = reader.read(buffer)
    // Back to the driver before anyone sees the frame, so that no sink can delay it.
    try queue.requeue(buffer.index)
    switch outcome {
    case .damaged:
      sequences.lose(.damaged)
    case .outOfBuffers:
      sequences.lose(.outOfBuffers)
    case .frame(let memory):
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
    }
  }
}
