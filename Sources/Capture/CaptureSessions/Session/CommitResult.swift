public import CaptureCore

/// The result of a commit, or of validating one.
public struct CommitResult: Sendable {
  /// The session after the commit, or as it would be after a commit.
  public var snapshot: SessionSnapshot
  /// Every issue with the configuration. Always empty after a commit, because issues prevent it.
  public var issues: [CaptureError]
  /// Whether the commit restarted the device or changed what photos are made with.
  public var reconfigured: Bool
}
