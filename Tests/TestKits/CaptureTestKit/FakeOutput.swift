public import CaptureCore
internal import Synchronization

/// A `CaptureOutput` that records the calls that it gets. A test decides how long preparing the output takes and
/// whether preparing succeeds. Thread-safe.
public final class FakeOutput: CaptureOutput {
  /// The output's id, which is unique in the session.
  public let id: String
  /// A gate in ``prepare()``. While the gate is closed, ``prepare()`` does not return; the gate's ``Gate/arrivals``
  /// count the calls of ``prepare()``.
  public let preparation = Gate()
  /// One element for each call of ``prepare()`` that succeeded.
  public let prepared = Recorder<Void>()
  /// Every frame that the output received, in order. The recorder keeps the frames' memory.
  public let frames = Recorder<CapturedFrame>()
  /// The connection of every ``update(_:)``, even when the connection did not change.
  public let connections = Recorder<Connection>()
  /// The limits on pictures, recorded with the first ``update(_:)`` and with each that changed them.
  public let limits = Recorder<PictureLimits>()
  /// The session's status, recorded with the first ``update(_:)`` and with each that changed it.
  public let statuses = Recorder<SessionStatus>()
  /// Every block of sound that the output received, with the id of its input.
  public let sounds = Recorder<(block: AudioBlock, input: String)>()
  /// The sound that comes to the output, recorded with the first ``update(_:)`` and with each that changed it.
  public let audio = Recorder<[AudioConnection]>()
  /// The error of each ``close(_:)``. The contract of `CaptureOutput` allows one call; a test sees a second call here.
  public let closings = Recorder<CaptureError>()
  private let failure = Mutex<CaptureError?>(nil)
  private let turns = Mutex(0)
  private let conditions = Mutex<OutputConditions?>(nil)

  /// The revision by which the next frames come, as the newest ``update(_:)`` told; nil before the first.
  public var expectedRevision: UInt64? { conditions.withLock { $0?.revision } }

  /// Creates an output that prepares at once and without an error.
  public init(id: String) { self.id = id }

  /// Makes every ``prepare()`` that has not yet returned throw `error`; nil makes preparing succeed again.
  public func failPreparation(_ error: CaptureError?) { failure.withLock { $0 = error } }

  /// Makes every later ``prepare()`` yield to other tasks `count` times before it goes on.
  public func delayPreparation(turns count: Int) { turns.withLock { $0 = count } }

  /// Passes the gate ``preparation``, yields as ``delayPreparation(turns:)`` says, and records the success in
  /// ``prepared``.
  ///
  /// - Throws: the error of ``failPreparation(_:)``.
  public func prepare() async throws(CaptureError) {
    await preparation.pass()
    for _ in 0..<turns.withLock({ $0 }) { await Task.yield() }
    if let error = failure.withLock({ $0 }) { throw error }
    prepared.append(())
  }

  /// Records the frame in ``frames``.
  public func receive(_ frame: CapturedFrame) { frames.append(frame) }

  /// Records the block in ``sounds``.
  public func receive(_ block: AudioBlock, of input: String) { sounds.append((block, input)) }

  /// Records the connection, and records the limits and the status if they changed.
  public func update(_ conditions: OutputConditions) {
    let former = self.conditions.withLock { current in
      defer { current = conditions }
      return current
    }
    connections.append(conditions.connection)
    if conditions.audio != former?.audio { audio.append(conditions.audio) }
    if conditions.limits != former?.limits { limits.append(conditions.limits) }
    if conditions.status != former?.status { statuses.append(conditions.status) }
  }

  /// Records the error in ``closings``. The output still accepts frames, so that a test can see frames that come too
  /// late.
  public func close(_ error: CaptureError) { closings.append(error) }
}
