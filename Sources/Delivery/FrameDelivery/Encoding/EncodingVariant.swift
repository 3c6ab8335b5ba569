internal import CaptureCore
internal import Imaging
internal import Synchronization

/// One encoding of an output's frames, shared by all readers who want it, on a thread of its own.
///
/// Usually one frame waits at most and the newest wins: an encoder slower than the camera skips frames, never falls
/// behind. With a queue a few wait, and newer ones are skipped while it is full.
final class EncodingVariant: Sendable {
  /// What became of a frame, for all readers alike.
  enum Outcome: Sendable {
    /// `link` only of what is coded picture by picture from the one before.
    case encoded(CapturedFrame, from: CapturedFrame, link: FrameLink?)
    case lost(DropCounts)
    /// Frames of this format never can be.
    case unsupported(CaptureError, PixelFormat)
  }

  /// Called on the variant's thread, in order.
  typealias Deliver = @Sendable (EncodingVariant, FrameTally, Outcome) -> Void

  private enum Job: Sendable {
    /// In a queue a frame counts as lent, see ``ReaderSlot``.
    case encode(CapturedFrame, FrameTally, FrameLoan?)
    case lose(FrameTally)
  }

  let key: EncodingKey
  private let mailbox: Mailbox<Job>
  let isQueue: Bool
  private let keyFrames = Mutex(KeyFrameSchedule())
  private let newestJob = Mutex<UInt64>(0)
  private let newestPicture = Mutex<(frame: CapturedFrame, tally: FrameTally)?>(nil)
  /// Frames of a queue that wait or are being encoded.
  private let held = Atomic<Int>(0)

  /// - Parameter queueDepth: how many frames wait; nil for one, replaced by newer ones.
  init(key: EncodingKey, queueDepth: Int? = nil) {
    self.key = key
    mailbox = Mailbox(depth: queueDepth ?? 1)
    isQueue = queueDepth != nil
  }

  /// Starts the thread, which ends at ``stop()``.
  ///
  /// - Parameter isOver: whether a frame's stream is: then it is lost, whatever was made of it.
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
          // Before anybody is given it: whoever has the last one finds it idle.
          if isQueue { held.subtract(1, ordering: .relaxed) }
          // Nobody is given one of a queue besides, and its memory is short.
          if !isQueue, case .encoded(let encoded, _, _) = outcome { newestPicture.withLock { $0 = (encoded, tally) } }
          // The camera was stopped, restarted or exchanged meanwhile: nobody may see the former one any more.
          deliver(self, tally, isOver(frame.frame) ? .lost(DropCounts(discontinuity: 1)) : outcome)
        case .lose(let tally): deliver(self, tally, .lost(DropCounts(outOfBuffers: 1)))
        }
      }
    }
  }

  /// Whether a queue has no frame to encode. Asked by whoever submits, it stays so until that.
  var isIdle: Bool { held.load(ordering: .relaxed) == 0 }

  /// Never waits. A frame older than one already submitted is ignored.
  func submit(_ frame: CapturedFrame, _ tally: FrameTally) {
    newestJob.withLock { newest in
      guard tally.received > newest else { return }
      newest = tally.received
      if isQueue {
        // Before it is taken, or the count would be below zero meanwhile.
        held.add(1, ordering: .relaxed)
        if !mailbox.putIfRoom(.encode(frame, tally, FrameLoan(frame.frame.buffer))) {
          held.subtract(1, ordering: .relaxed)
        }
      } else {
        mailbox.put(.encode(frame, tally, nil))
      }
    }
  }

  /// Delivers, in its turn, that the frame of `tally` is lost. Only for queues: without room it is late, like any other.
  func lose(_ tally: FrameTally) { _ = mailbox.putIfRoom(.lose(tally)) }

  /// Ends the thread after the picture it works on. Calling it twice is harmless.
  func stop() { mailbox.close() }

  /// Asks for a picture that can be decoded alone, as soon as ``KeyFrameSchedule`` allows.
  func requestKeyFrame() { keyFrames.withLock { $0.request() } }

  /// What was encoded last; of a queue nothing.
  var newest: (frame: CapturedFrame, tally: FrameTally)? { newestPicture.withLock { $0 } }

  /// - Parameter link: of the picture, if it is no key frame.
  private func encode(_ captured: CapturedFrame, _ link: FrameLink, with encode: EncodePicture) -> Outcome {
    // Somebody else has decoded it.
    if captured.frame.buffer.isDamaged { return .lost(DropCounts(damaged: 1)) }
    do {
      let instant = captured.frame.time.monotonicNanoseconds
      let isLinked = key.format == .h264
      let forcesKeyFrame = isLinked && keyFrames.withLock { $0.forces(at: instant, streamID: captured.frame.streamID) }
      let (picture, isKeyFrame) = try encode(captured.frame.picture, key, forcesKeyFrame)
      if isLinked, isKeyFrame { keyFrames.withLock { $0.madeKeyFrame(at: instant) } }
      // A frame anew, so that no reader of the encoded picture keeps the camera's memory from being used again.
      let frame = Frame(
        streamID: captured.frame.streamID, sequence: captured.frame.sequence, time: captured.frame.time,
        layout: picture.layout, buffer: picture.buffer, missing: captured.frame.missing, sensor: captured.frame.sensor)
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
