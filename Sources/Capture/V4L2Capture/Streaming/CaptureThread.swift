internal import CV4L2
internal import CaptureCore
internal import Glibc
internal import HotPlug
internal import Locking
internal import SystemClocks

/// The thread that owns a streaming device: it opens the device, takes every frame and closes the device.
///
/// One function makes all blocking calls to the device, and leaving the function's scopes undoes them in the reverse
/// order. Other threads can only ask the capture thread to stop.
final class CaptureThread: Sendable {
  /// The stream to start, and the callbacks to inform.
  struct Assignment: Sendable {
    var deviceID: String
    var path: String
    var interface: CaptureInterface
    var request: StreamRequest
    var pool: FramePool
    var sink: any FrameSink
    var syscalls: any Syscalls
    /// Whether frames may keep the driver's buffers.
    var lendsBuffers = false
    /// Whether sysfs and `/dev` show the camera. The thread asks when it cannot open the camera's node.
    var isPresent: @Sendable () -> Bool
    /// Called once after the device is closed, on the capture thread, or by ``CaptureThread/start(_:streamID:)`` when
    /// the thread could not start. The argument is nil when the stream was asked to stop, else the error.
    var didClose: @Sendable (CaptureError?) -> Void
  }

  private let assignment: Assignment
  private let streamID: UInt64
  private let wakeup: Wakeup
  private let mustStop = Locked(false)
  private let ended = Event<Void>()

  private init(_ assignment: Assignment, streamID: UInt64) throws(CaptureError) {
    self.assignment = assignment
    self.streamID = streamID
    do { wakeup = try Wakeup.make() } catch { throw .failedCall(error, device: assignment.deviceID, isPresent: true) }
  }

  /// Starts a capture thread, and returns after VIDIOC_STREAMON. Cancelling the task has no effect: the method returns
  /// a running thread, or throws after the device was closed.
  ///
  /// - Throws: the error of opening, configuring or starting the device; `processingFailed` when the system gives no
  ///   thread.
  static func start(
    _ assignment: Assignment, streamID: UInt64
  ) async throws(CaptureError) -> (thread: CaptureThread, format: StreamFormat) {
    let thread: CaptureThread
    do { thread = try CaptureThread(assignment, streamID: streamID) } catch {
      assignment.didClose(error)
      throw error
    }
    let format = await withCheckedContinuation { continuation in
      do throws(CaptureError) {
        try WorkerThread.start(name: "v4l2 " + assignment.deviceID) { thread.main(continuation) }
      } catch {
        assignment.didClose(error)
        continuation.resume(returning: .failure(error))
      }
    }
    return (thread, try format.get())
  }

  /// Stops the stream. The method returns after the device is closed and when the sink will not be called again. Any
  /// number of tasks may call this method; cancelling them has no effect.
  func stop() async {
    requestStop()
    await ended.wait()
  }

  /// Asks the thread to stop, without waiting for the end of the stream.
  func requestStop() {
    mustStop.withLock { $0 = true }
    wakeup.signal()
  }

  private var stopRequested: Bool { mustStop.withLock { $0 } }

  // MARK: - On the thread

  private typealias Started = CheckedContinuation<Result<StreamFormat, CaptureError>, Never>

  private func main(_ started: Started) {
    var pending: Started? = started
    var failure: CaptureError?
    do throws(CaptureError) {
      try stream { format in
        pending?.resume(returning: .success(format))
        pending = nil
      }
    } catch {
      failure = error
    }
    // The device is closed before any callback or waiting task learns of the end, so that the receiver may start the
    // device again.
    let stopRequested = stopRequested
    assignment.didClose(stopRequested ? nil : failure)
    if let failure {
      if let pending {
        pending.resume(returning: .failure(failure))
      } else if !stopRequested {
        assignment.sink.sourceDidEnd(failure)
      }
    }
    ended.happen()
  }

  /// Streams until the owner asks the thread to stop, the camera stalls, or the machine was suspended. Everything that
  /// the method opened is closed when it returns or throws.
  ///
  /// - Parameter started: called once, after VIDIOC_STREAMON.
  /// - Throws: the reason why the stream could not start or did not go on.
  private func stream(started: (StreamFormat) -> Void) throws(CaptureError) {
    let (id, interface, syscalls) = (assignment.deviceID, assignment.interface, assignment.syscalls)
    let node: VideoNode
    do { node = try VideoNode(opening: assignment.path, with: syscalls) } catch {
      throw .failedOpen(error, of: assignment.path, device: id, isPresent: assignment.isPresent())
    }
    defer { node.close() }

    let input = VideoInput(of: node)
    // The subscription comes first, so that the thread misses no change of the signal that it follows.
    let tellsOfSource = input.subscribeToSource()
    do throws(VideoNodeError) { try input.followSignal() } catch {
      throw error.lacksSignal
        ? .noSignal(error, device: id) : .failedCall(error, device: id, isPresent: node.isPresent)
    }
    let negotiated = try StreamNegotiation(node: node, interface: interface, deviceID: id).commit(assignment.request)
    guard let reader = FrameReader(negotiated, pool: assignment.pool) else {
      throw .notSupported(assignment.request, device: id, offered: nil)
    }

    let lends = assignment.lendsBuffers && negotiated.delivery == .copied
    let queue = try failing(node) { () throws(VideoNodeError) in
      try BufferQueue(
        node, interface, count: BufferQueue.count(for: node), lender: lends ? assignment.pool : nil)
    }
    defer { queue.release() }
    try failing(node) { () throws(VideoNodeError) in try queue.queueAll() }

    let start = MonotonicInstant.now()
    let sleep = SleepGauge.start()
    try failing(node) { () throws(VideoNodeError) in try queue.streamOn() }
    defer { queue.streamOff() }
    started(negotiated.format)
    if !lends { reader.warm() }

    var loop = CaptureLoop(
      node: node, queue: queue, reader: reader, streamID: streamID, sink: assignment.sink,
      clock: FrameClock(start: start),
      watch: StreamWatch(
        stall: StallWatch(start: start, rate: negotiated.format.frameRate, patience: assignment.request.patience),
        sleep: sleep, source: tellsOfSource ? input : nil))
    let ending: StreamWatch.Ending
    do {
      ending = try loop.run(wakeup: wakeup) { self.stopRequested }
    } catch {
      // A suspended machine explains the error better: many cameras lose power while the machine sleeps, and return
      // right after.
      let boot = BootInstant.now()
      if let slept = sleep.slept(boot: boot, monotonic: .now()) {
        throw .slept(slept, device: id)
      }
      throw .endOfStream(error, device: id, isPresent: node.isPresent)
    }
    switch ending {
    case .stopped: break
    case .slept(let slept): throw .slept(slept, device: id)
    case .stalled(let silence, let damaged):
      let lost = input.absence().map { CaptureError.noSignal($0, device: id) }
      throw told(lost ?? .stalled(device: id, silence: silence, damaged: damaged))
    case .sourceChanged:
      queue.streamOff()
      throw told(input.absence().map { .noSignal($0, device: id) } ?? .sourceChanged(device: id))
    }
  }

  /// Tells the sink that the source brings no more frames, before the device is closed.
  private func told(_ error: CaptureError) -> CaptureError {
    assignment.sink.sourceDidStall(error)
    return error
  }

  /// Runs `body`, and turns its error into the error to report for a device that is opened, configured or started.
  private func failing<R>(
    _ node: VideoNode, _ body: () throws(VideoNodeError) -> R
  ) throws(CaptureError) -> R {
    do { return try body() } catch {
      throw .failedCall(error, device: assignment.deviceID, isPresent: node.isPresent)
    }
  }
}

extension Wakeup {
  /// Makes a wakeup.
  ///
  /// - Throws: the error of eventfd(2), mostly EMFILE.
  static func make() throws(VideoNodeError) -> Wakeup {
    guard let wakeup = Wakeup() else { throw VideoNodeError(call: "eventfd", errno: Errno(errno)) }
    return wakeup
  }
}
