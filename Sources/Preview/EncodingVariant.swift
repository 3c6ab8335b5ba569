internal import CaptureCore
internal import Imaging
internal import Synchronization

/// One encoding of an output's frames, shared by all readers who want it, on a thread of its own.
///
/// One frame waits at most and the newest wins: an encoder slower than the camera skips frames, never falls behind.
final class EncodingVariant: Sendable {
  struct Job: Sendable {
    var frame: CapturedFrame
    var tally: FrameTally
  }

  /// Called on the variant's thread, in order.
  typealias Deliver = @Sendable (EncodingVariant, Job, Result<CapturedFrame, CaptureError>) -> Void

  let key: EncodingKey
  private let mailbox = Mailbox<Job>(depth: 1)
  private let newestJob = Mutex<UInt64>(0)
  private let newestPicture = Mutex<(frame: CapturedFrame, tally: FrameTally)?>(nil)

  init(key: EncodingKey) { self.key = key }

  /// Starts the thread, which ends at ``stop()``.
  func start(pool: FramePool, makeEncoder: @escaping MakePictureEncoder, deliver: @escaping Deliver)
    throws(CaptureError)
  {
    try WorkerThread.start(name: "preview-\(key.encoding)") { [self] in
      let encode = makeEncoder(pool)
      while let job = mailbox.take() {
        let result = Self.encode(job.frame, key, with: encode)
        if case .success(let frame) = result { newestPicture.withLock { $0 = (frame, job.tally) } }
        deliver(self, job, result)
      }
    }
  }

  /// Never waits. A frame older than one already submitted is ignored.
  func submit(_ frame: CapturedFrame, _ tally: FrameTally) {
    newestJob.withLock { newest in
      guard tally.received > newest else { return }
      newest = tally.received
      mailbox.put(Job(frame: frame, tally: tally))
    }
  }

  /// Ends the thread after the picture it works on. Calling it twice is harmless.
  func stop() { mailbox.close() }

  /// What was encoded last.
  var newest: (frame: CapturedFrame, tally: FrameTally)? { newestPicture.withLock { $0 } }

  private static func encode(
    _ captured: CapturedFrame, _ key: EncodingKey, with encode: EncodePicture
  ) -> Result<CapturedFrame, CaptureError> {
    do {
      let picture = try encode(captured.frame.picture, key)
      // A frame anew, so that no reader of the encoded picture keeps the camera's memory from being used again.
      let frame = Frame(
        streamID: captured.frame.streamID, sequence: captured.frame.sequence, time: captured.frame.time,
        layout: picture.layout, buffer: picture.buffer, missing: captured.frame.missing)
      return .success(CapturedFrame(frame: frame, input: captured.input, configRevision: captured.configRevision))
    } catch {
      return .failure(error)
    }
  }
}
