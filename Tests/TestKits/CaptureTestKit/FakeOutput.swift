public import CaptureCore
internal import Synchronization

/// A `CaptureOutput` that records its calls; a test decides how long preparing takes and whether it succeeds.
public final class FakeOutput: CaptureOutput {
  public let id: String
  /// Close it to keep ``prepare()`` from returning. Its `arrivals` count the calls.
  public let preparation = Gate()
  /// One element for each successful ``prepare()``.
  public let prepared = Recorder<Void>()
  /// Every frame, in order.
  public let frames = Recorder<CapturedFrame>()
  /// The connection of each update, also when it is the same again.
  public let connections = Recorder<Connection>()
  /// What pictures may be at most, each time that changed.
  public let limits = Recorder<PictureLimits>()
  /// The session's status, each time it changed.
  public let statuses = Recorder<SessionStatus>()
  /// At most one by the contract of `CaptureOutput`; a second one shows here.
  public let closings = Recorder<CaptureError>()
  private let failure = Mutex<CaptureError?>(nil)
  private let turns = Mutex(0)
  private let conditions = Mutex<OutputConditions?>(nil)

  public init(id: String) { self.id = id }

  /// Makes every ``prepare()`` that is not through yet throw `error`; nil makes it succeed again.
  public func failPreparation(_ error: CaptureError?) { failure.withLock { $0 = error } }

  /// Makes ``prepare()`` let others run so many times before it goes on.
  public func delayPreparation(turns count: Int) { turns.withLock { $0 = count } }

  public func prepare() async throws(CaptureError) {
    await preparation.pass()
    for _ in 0..<turns.withLock({ $0 }) { await Task.yield() }
    if let error = failure.withLock({ $0 }) { throw error }
    prepared.append(())
  }

  public func receive(_ frame: CapturedFrame) { frames.append(frame) }

  public func update(_ conditions: OutputConditions) {
    let former = self.conditions.withLock { current in
      defer { current = conditions }
      return current
    }
    connections.append(conditions.connection)
    if conditions.limits != former?.limits { limits.append(conditions.limits) }
    if conditions.status != former?.status { statuses.append(conditions.status) }
  }

  public func close(_ error: CaptureError) { closings.append(error) }
}
