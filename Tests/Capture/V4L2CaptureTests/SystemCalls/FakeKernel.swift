import CV4L2
import CaptureCore
import CaptureTestKit
import Glibc
import SystemClocks

@testable import V4L2Capture

/// A kernel with one camera, which exists only as values. The object answers and logs every system call, and can make
/// each call fail.
final class FakeKernel: Syscalls, Sendable {
  /// A buffer that the driver filled, with what the driver reports about it.
  private struct Done {
    var index: UInt32
    var sequence: UInt32
    var flags: UInt32
    var time: timeval
    var bytesUsed: [Int]
    var dataOffset: UInt32
  }

  private struct State {
    var camera: Camera
    var log: [String] = []
    var formatQuestions = 0
    var failures: [String: [Int32]] = [:]
    var open: Set<Int32> = []
    var isGone = false
    var isBroken = false
    /// The planes of the format that S_FMT set last; the array is empty until then.
    var planes: [(stride: Int, rows: Int)] = []
    var rate = Rational(5, 1)
    /// The memory of each buffer's planes, by the offset for mmap(2).
    var memory: [Int: UnsafeMutableRawBufferPointer] = [:]
    var bufferCount = 0
    var queued: [UInt32] = []
    var done: [Done] = []
  }

  private let state: Locked<State>
  /// Records the control's id for each VIDIOC_G_CTRL that the kernel answered.
  let asked = Recorder<UInt32>()
  /// Records the sequence number of each frame that VIDIOC_DQBUF returned, and nil for each call that found no frame.
  let dequeued = Recorder<UInt32?>()

  init(_ camera: Camera = Camera()) { state = Locked(State(camera: camera)) }

  // MARK: - What tests do and see

  /// The calls so far, in order. Enumerations, queries, calls for controls, inputs and events, VIDIOC_DQBUF and poll(2)
  /// are left out.
  var log: [String] { state.withLock { $0.log } }
  /// How often callers called VIDIOC_ENUM_FMT, which the log leaves out.
  var formatQuestions: Int { state.withLock { $0.formatQuestions } }
  /// The number of descriptors that are open now.
  var openCount: Int { state.withLock { $0.open.count } }
  /// The number of buffers that wait to be filled.
  var queuedCount: Int { state.withLock { $0.queued.count } }
  /// The frame duration that was set last, in seconds.
  var rate: Rational { state.withLock { $0.rate } }

  func change(_ body: (inout Camera) -> Void) { state.withLock { body(&$0.camera) } }

  /// Makes the next calls named `call` fail, with one errno each. The errno 0 lets one call succeed.
  func fail(_ call: String, with errors: Int32...) { state.withLock { $0.failures[call, default: []] += errors } }

  /// Fills the oldest queued buffer with `byte` or `bytes`, as the driver would. The parameters from `bytesUsed` on are
  /// what the driver reports about the buffer, whether true or not.
  func deliver(
    sequence: UInt32, byte: UInt8 = 0, flags: Int32 = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
    nanoseconds: Int64 = Int64(MonotonicInstant.now().nanoseconds), bytes: [UInt8]? = nil, bytesUsed: [Int]? = nil,
    time: timeval? = nil, index claimedIndex: UInt32? = nil, dataOffset: UInt32 = 0
  ) {
    state.withLock { state in
      guard !state.queued.isEmpty, !state.planes.isEmpty else { return }
      let index = state.queued.removeFirst()
      var used: [Int] = []
      for (plane, shape) in state.planes.enumerated() {
        let memory = state.memory[Self.offset(index, plane)]!
        if let bytes {
          memory.copyBytes(from: bytes.prefix(memory.count))
          used.append(bytes.count)
        } else {
          _ = memory.initializeMemory(as: UInt8.self, repeating: byte &+ UInt8(plane))
          used.append(bytesUsed?[plane] ?? shape.stride * shape.rows)
        }
      }
      state.done.append(
        Done(
          index: claimedIndex ?? index, sequence: sequence, flags: UInt32(bitPattern: flags),
          time: time
            ?? timeval(
              tv_sec: Int(nanoseconds / 1_000_000_000), tv_usec: Int(nanoseconds % 1_000_000_000 / 1000)),
          bytesUsed: used, dataOffset: dataOffset))
      signal(state)
    }
  }

  /// Unplugs the camera: descriptors stay open, and every call on them fails.
  func disconnect() {
    state.withLock {
      $0.isGone = true
      signal($0)
    }
  }
  func reconnect() { state.withLock { $0.isGone = false } }
  /// Makes the queue of buffers fail for good while the device stays.
  func breakStream() {
    state.withLock {
      $0.isBroken = true
      signal($0)
    }
  }

  /// Lets the source at the camera's input change, and tells the program that streams with these flags.
  func changeSource(flags: UInt32 = CV4L2_EVENT_SRC_CH_RESOLUTION, _ body: (inout Signal) -> Void = { _ in }) {
    state.withLock { state in
      guard var changed = state.camera.signal else { return }
      body(&changed)
      changed.changes.append(flags)
      state.camera.signal = changed
      signal(state)
    }
  }

  private func signal(_ state: State) { for descriptor in state.open { eventfd_write(descriptor, 1) } }
  private static func offset(_ index: UInt32, _ plane: Int) -> Int { (Int(index) * 8 + plane) * 4096 }

  // MARK: - Syscalls

  func open(_ path: String) throws(Errno) -> Int32 {
    let error: Int32? = state.withLock { state in
      state.log.append("open")
      if let error = state.failures.takeFirst("open"), error != 0 { return error }
      return state.isGone ? ENODEV : nil
    }
    if let error { throw Errno(error) }
    // The descriptor is readable when a buffer is filled, so that a real poll(2) works on it.
    let descriptor = eventfd(0, Int32(EFD_NONBLOCK))
    state.withLock { _ = $0.open.insert(descriptor) }
    return descriptor
  }

  func close(_ descriptor: Int32) {
    state.withLock { state in
      state.log.append("close")
      state.open.remove(descriptor)
    }
    _ = Glibc.close(descriptor)
  }

  func map(_ descriptor: Int32, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 4096)
    let error: Int32? = state.withLock { state in
      state.log.append("mmap")
      state.memory[offset] = memory
      return state.failures.takeFirst("mmap")
    }
    if let error {
      memory.deallocate()
      throw Errno(error)
    }
    return memory.baseAddress!
  }

  func unmap(_ base: UnsafeMutableRawPointer, length: Int) {
    state.withLock { $0.log.append("munmap") }
    base.deallocate()
  }

  func detach(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno) {
    state.withLock { $0.log.append("mremap") }
  }

  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno) {
    guard Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds) >= 0 else { throw Errno(errno) }
    state.withLock { state in
      guard state.open.contains(descriptors[0].fd) else { return }
      if state.isGone { descriptors[0].revents |= Int16(POLLERR | POLLHUP) }
      if state.isBroken { descriptors[0].revents |= Int16(POLLERR) }
      let hasEvent = state.camera.signal?.changes.isEmpty == false
      if hasEvent { descriptors[0].revents |= descriptors[0].events & Int16(POLLPRI) }
    }
  }

  func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno) {
    let name = VideoRequest.all.first { $0.number == request }!.name
    let error: Int32? = state.withLock { state in
      let isQuiet = ["ENUM", "QUERY", "DQBUF", "CTRL", "INPUT", "EVENT"].contains { name.contains($0) }
      if !isQuiet || name == "VIDIOC_S_CTRL" { state.log.append(name) }
      if name == "VIDIOC_ENUM_FMT" { state.formatQuestions += 1 }
      if let error = state.failures.takeFirst(name), error != 0 { return error }
      if state.isGone { return ENODEV }
      return Self.answer(name, argument, descriptor, &state)
    }
    if name == "VIDIOC_DQBUF", error == nil || error == EAGAIN {
      dequeued.append(error == nil ? argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.sequence : nil)
    }
    if let error { throw Errno(error) }
    if name == "VIDIOC_G_CTRL" { asked.append(argument.assumingMemoryBound(to: v4l2_control.self).pointee.id) }
  }

  private static func answer(
    _ name: String, _ argument: UnsafeMutableRawPointer, _ descriptor: Int32, _ state: inout State
  ) -> Int32? {
    switch name {
    case "VIDIOC_QUERYCAP":
      let capability = argument.assumingMemoryBound(to: v4l2_capability.self)
      withUnsafeMutableBytes(of: &capability.pointee.driver) { $0.copyBytes(from: state.camera.driver.utf8) }
      withUnsafeMutableBytes(of: &capability.pointee.card) { $0.copyBytes(from: state.camera.card.utf8) }
      withUnsafeMutableBytes(of: &capability.pointee.bus_info) { $0.copyBytes(from: state.camera.busInfo.utf8) }
      capability.pointee.capabilities = 0xffff_ffff
      capability.pointee.device_caps = state.camera.capabilities
    case "VIDIOC_ENUM_FMT":
      let format = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
      guard Int(format.pointee.index) < state.camera.formats.count else { return EINVAL }
      format.pointee.pixelformat = state.camera.formats[Int(format.pointee.index)].pixelFormat.rawValue
    case "VIDIOC_ENUM_FRAMESIZES":
      return state.camera.answer(argument.assumingMemoryBound(to: v4l2_frmsizeenum.self))
    case "VIDIOC_ENUM_FRAMEINTERVALS":
      return state.camera.answer(argument.assumingMemoryBound(to: v4l2_frmivalenum.self))
    case "VIDIOC_G_FMT", "VIDIOC_TRY_FMT", "VIDIOC_S_FMT":
      let planes = state.camera.negotiate(name, argument.assumingMemoryBound(to: v4l2_format.self))
      if name == "VIDIOC_S_FMT" { state.planes = planes }
    case "VIDIOC_S_PARM", "VIDIOC_G_PARM":
      guard state.camera.setsRate else { return ENOTTY }
      let parameters = argument.assumingMemoryBound(to: v4l2_streamparm.self)
      if name == "VIDIOC_S_PARM" {
        state.rate = state.camera.insistsOnDuration ?? Rational(parameters.pointee.parm.capture.timeperframe)
      }
      parameters.pointee.parm.capture.timeperframe = v4l2_fract(
        numerator: state.rate.numerator, denominator: state.rate.denominator)
    case "VIDIOC_G_CTRL":
      let control = argument.assumingMemoryBound(to: v4l2_control.self)
      guard let value = state.camera.controls[control.pointee.id] else { return EINVAL }
      control.pointee.value = value
    case "VIDIOC_S_CTRL":
      let control = argument.assumingMemoryBound(to: v4l2_control.self).pointee
      state.camera.controls[control.id] = control.value
    case "VIDIOC_QUERY_EXT_CTRL", "VIDIOC_QUERYMENU", "VIDIOC_G_EXT_CTRLS", "VIDIOC_S_EXT_CTRLS":
      return state.camera.extendedControls.answer(name, argument)
    case "VIDIOC_G_INPUT", "VIDIOC_ENUMINPUT", "VIDIOC_QUERY_DV_TIMINGS", "VIDIOC_S_DV_TIMINGS",
      "VIDIOC_SUBSCRIBE_EVENT", "VIDIOC_DQEVENT":
      return state.camera.answerInput(name, argument)
    case "VIDIOC_STREAMOFF":
      state.queued = []
      state.done = []
    case "VIDIOC_STREAMON":
      break
    default:
      return buffer(name, argument, descriptor, &state)
    }
    return nil
  }

  private static func buffer(
    _ name: String, _ argument: UnsafeMutableRawPointer, _ descriptor: Int32, _ state: inout State
  ) -> Int32? {
    let planes = state.planes
    let isMultiPlanar = state.camera.isMultiPlanar
    if name == "VIDIOC_REQBUFS" {
      let request = argument.assumingMemoryBound(to: v4l2_requestbuffers.self)
      state.log[state.log.count - 1] += " \(request.pointee.count)"
      state.bufferCount = Int(request.pointee.count)
      return nil
    }
    if name == "VIDIOC_CREATE_BUFS" {
      guard state.bufferCount < state.camera.mostBuffers else { return ENOMEM }
      let request = argument.assumingMemoryBound(to: v4l2_create_buffers.self)
      request.pointee.index = UInt32(state.bufferCount)
      state.bufferCount += Int(request.pointee.count)
      return nil
    }
    let buffer = argument.assumingMemoryBound(to: v4l2_buffer.self)
    switch name {
    case "VIDIOC_QUERYBUF":
      for (plane, shape) in planes.enumerated() {
        let (length, offset) = (max(shape.stride, 1) * shape.rows, Self.offset(buffer.pointee.index, plane))
        if isMultiPlanar {
          buffer.pointee.m.planes[plane].length = UInt32(length)
          buffer.pointee.m.planes[plane].m.mem_offset = UInt32(offset)
        } else {
          buffer.pointee.length = UInt32(length)
          buffer.pointee.m.offset = UInt32(offset)
        }
      }
      if isMultiPlanar { buffer.pointee.length = state.camera.claimedPlanes ?? UInt32(planes.count) }
    case "VIDIOC_QBUF":
      guard Int(buffer.pointee.index) < state.bufferCount else { return EINVAL }
      state.queued.append(buffer.pointee.index)
    case "VIDIOC_DQBUF":
      if state.isBroken { return EIO }
      guard !state.done.isEmpty else {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        return EAGAIN
      }
      let done = state.done.removeFirst()
      buffer.pointee.index = done.index
      buffer.pointee.sequence = done.sequence
      buffer.pointee.flags = done.flags
      buffer.pointee.timestamp = done.time
      for plane in planes.indices {
        if isMultiPlanar {
          buffer.pointee.m.planes[plane].bytesused = UInt32(done.bytesUsed[plane])
          buffer.pointee.m.planes[plane].data_offset = done.dataOffset
        } else {
          buffer.pointee.bytesused = UInt32(done.bytesUsed[plane])
        }
      }
    default:
      return ENOTTY
    }
    return nil
  }
}

extension Dictionary where Key == String, Value == [Int32] {
  fileprivate mutating func takeFirst(_ key: String) -> Int32? {
    guard let first = self[key]?.first else { return nil }
    self[key]!.removeFirst()
    return first
  }
}
