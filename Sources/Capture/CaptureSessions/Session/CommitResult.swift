public import CaptureCore

/// What a commit did, or would do.
public struct CommitResult: Sendable {
  public var snapshot: SessionSnapshot
  /// Everything that stands against the configuration, where it was only validated.
  public var issues: [CaptureError]
  /// Whether the device was restarted, or photos are made otherwise.
  public var reconfigured: Bool
}
