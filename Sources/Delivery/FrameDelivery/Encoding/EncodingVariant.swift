internal import CaptureCore
internal import Imaging
internal import Locking
internal import Synchronization
internal import VideoCoding

/// One encoding of an output's frames, made once for all readers who want it, on a thread of its own.
///
/// Without a queue at most one frame waits, and a newer frame takes its place: an encoder that is slower than the
/// camera skips frames and never falls behind. For H.264 two frames wait, because programs record H.264, and a frame
/// that the encoder skips while it starts, or while the machine is busy for a moment, would be a gap in the recording.
/// With a queue several frames wait, and the variant skips newer frames while the queue is full.
final class EncodingVariant: Sendable {
  /// What the encoder made of a frame. All readers of the encoding get the same outcome.
  enum Outcome: Sendable {
    /// The encoded frame, and the frame that was encoded. `link` is nil unless each picture of the encoding may need
    /// the one before it.
    case encoded(CapturedFrame, from: CapturedFrame, link: FrameLink?)
    case lost(DropCounts)
    /// The encoder can never encode frames of this pixel format.
    case unsupported(CaptureError, PixelFormat)
  }

  /// Called on the variant's thread with the outcome of each frame, in the order of the frames.
  typealias Deliver = @Sendable (EncodingVariant, FrameTally, Outcome) -> Void

  private enum Job: Sendable {
    /// Encode this frame. The loan counts the frame's memory as lent while the frame waits in a queue, because a slow
    /// reader may keep many frames for long. Without a queue the loan is nil.
    case encode(CapturedFrame, FrameTally, FrameLoan?)
    case lose(FrameTally)
  }

  let key: EncodingKey
  private let frameRate: Locked<Rational?>
  private let mailbox: Mailbox<Job>
  let isQueue: Bool
  private let keyFrames = Locked(KeyFrameSchedule())
  private let newestJob = Locked<UInt64>(0)
  private let newestPicture = Locked<(frame: CapturedFrame, tally: FrameTally)?>(nil)
  /// Frames of a queue that wait or are being encoded. 0 without a queue.
  private let held = Atomic<Int>(0)

  /// - Parameters:
  ///   - queueDepth: how many frames may wait. Nil: one frame waits, two for H.264, and the next one replaces the
  ///     oldest.
  ///   - frameRate: how many frames the camera gives per second. Nil when nobody knows.
  init(key: EncodingKey, queueDepth: Int? = nil, frameRate: Rational? = nil) {
    self.key = key
    self.frameRate = Locked(frameRate)
    mailbox = Mailbox(depth: queueDepth ?? (key.format == .h264 ? 2 : 1))
    isQueue = queueDepth != nil
  }

  /// Starts the thread, which ends at ``stop()``.
  ///
  /// - Parameters:
  ///   - name: the first part of the thread's name.
  ///   - pool: where encoded pictures get their memory.
  ///   - makeEncoder: makes the encoder; called once, on the thread.
  ///   - isOver: whether the stream of a frame is over. Such a frame counts as lost, even when it was encoded.
  ///   - deliver: gets the outcome of each frame.
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start(
    name: String, pool: FramePool, makeEncoder: @escaping MakePictureEncoder,
    isOver: @escaping @Sendable (Frame) -> Bool, deliver: @escaping Deliver
  ) throws(CaptureError) {
    try WorkerThread.start(name: "\(name)-\(key.format)") { [self] in
      let encode = makeEncoder(pool)
      var link = FrameLink(chain: FrameLink.makeChain(), number: 0, isKeyFrame: false)
      while let job = mailbox.take() {
        switch job {
        case .encode(let frame, let tally, _):
          link.number += 1
          let outcome = self.encode(frame, link, with: encode)
          // The count falls before `deliver`, so that a reader who has the last frame of the queue finds the queue
          // idle.
          if isQueue { held.subtract(1, ordering: .relaxed) }
          // A queue keeps no newest picture: a new reader does not get one in advance, and the memory of a queue is
          // short.
          if !isQueue, case .encoded(let encoded, _, _) = outcome { newestPicture.withLock { $0 = (encoded, tally) } }
          // The camera may have been stopped, restarted or exchanged during encoding. From then on no reader may see a
          // picture of the former stream.
          deliver(self, tally, isOver(frame.frame) ? .lost(DropCounts(discontinuity: 1)) : outcome)
        case .lose(let tally): deliver(self, tally, .lost(DropCounts(outOfBuffers: 1)))
        }
      }
    }
  }

  /// Whether a queue has no frame to encode; always true without a queue. For the thread that submits frames, true
  /// stays true until that thread submits the next frame.
  var isIdle: Bool { held.load(ordering: .relaxed) == 0 }

  /// Gives a frame to the thread, without waiting. A frame that is not newer than the frame submitted last is ignored.
  func submit(_ frame: CapturedFrame, _ tally: FrameTally) {
    newestJob.withLock { newest in
      guard tally.received > newest else { return }
      newest = tally.received
      if isQueue {
        // The count rises before the thread can take the frame, or the count could fall below zero for a moment.
        held.add(1, ordering: .relaxed)
        if !mailbox.putIfRoom(.encode(frame, tally, FrameLoan(frame.frame.buffer))) {
          held.subtract(1, ordering: .relaxed)
        }
      } else {
        mailbox.put(.encode(frame, tally, nil))
      }
    }
  }

  /// Tells the readers, in the order of the frames, that the frame of `tally` is lost for want of buffers. Only for
  /// queues. When the queue is full, the readers are not told, and the frame counts as late like any frame for which
  /// there is no room.
  func lose(_ tally: FrameTally) { _ = mailbox.putIfRoom(.lose(tally)) }

  /// Ends the thread after the picture that it works on. Further calls do nothing.
  func stop() { mailbox.close() }

  /// Takes up another rate of the camera. ``KeyFrameSchedule`` sees that H.264 names it in a key frame soon.
  func setFrameRate(_ rate: Rational?) { frameRate.withLock { $0 = rate } }

  /// Asks for a picture that can be decoded alone, as soon as ``KeyFrameSchedule`` allows one.
  func requestKeyFrame() { keyFrames.withLock { $0.request() } }

  /// The frame that was encoded last, with its tally. Nil before the first frame, and always nil with a queue.
  var newest: (frame: CapturedFrame, tally: FrameTally)? { newestPicture.withLock { $0 } }

  /// Encodes a frame, on the variant's thread.
  ///
  /// - Parameter link: the place that the picture gets if it turns out to be no key frame.
  private func encode(_ captured: CapturedFrame, _ link: FrameLink, with encode: EncodePicture) -> Outcome {
    // Another stage has decoded the frame before and found it damaged.
    if captured.frame.buffer.isDamaged { return .lost(DropCounts(damaged: 1)) }
    do {
      let instant = captured.frame.time.monotonic
      let isLinked = key.format == .h264
      let rate = isLinked ? frameRate.withLock { $0 }.map { key.pace?.rate(of: $0) ?? $0 } : nil
      let streamID = captured.frame.streamID
      let forcesKeyFrame = isLinked && keyFrames.withLock { $0.forces(at: instant, streamID: streamID, rate: rate) }
      let (picture, isKeyFrame) = try encode(captured.frame.decodedPicture(), key, rate, forcesKeyFrame)
      if isLinked, isKeyFrame { keyFrames.withLock { $0.madeKeyFrame(at: instant, rate: rate) } }
      // The result is a frame of its own, so that a reader who holds the encoded picture does not keep the camera from
      // using its memory again.
      let frame = Frame(
        streamID: captured.frame.streamID, sequence: captured.frame.sequence, time: captured.frame.time,
        layout: picture.layout, buffer: picture.buffer, missing: captured.frame.missing, sensor: captured.frame.sensor,
        layers: captured.frame.layers)
      let place = FrameLink(chain: link.chain, number: link.number, isKeyFrame: isKeyFrame)
      return .encoded(captured.with(frame), from: captured, link: isLinked ? place : nil)
    } catch {
      switch error.reason {
      case .formatNotSupported: return .unsupported(error, captured.frame.layout.pixelFormat)
      case .outOfBuffers: return .lost(DropCounts(outOfBuffers: 1))
      case .frameDamaged: return .lost(DropCounts(damaged: 1))
      default: return .lost(DropCounts(discontinuity: 1))
      }
    }
  }
}
