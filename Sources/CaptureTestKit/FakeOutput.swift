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
  /// Every connection told, the same one again too.
  public let connections = Recorder<Connection>()
  /// What pictures may be at most, each time it was told.
  public let limits = Recorder<PictureLimits>()
  public let statuses = Recorder<SessionStatus>()
  /// At most one by the contract of `CaptureOutput`; a second one shows here.
  public let closings = Recorder<CaptureError>()
  private let failure = Mutex<CaptureError?>(nil)
  private let turns = Mutex(0)

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

  public func connectionDidChange(_ connection: Connection) { connections.append(connection) }

  public func limitsDidChange(_ limits: PictureLimits) { self.limits.append(limits) }

  public func sessionDidChange(_ status: SessionStatus) { statuses.append(status) }

  public func close(_ error: CaptureError) { closings.append(error) }
}
