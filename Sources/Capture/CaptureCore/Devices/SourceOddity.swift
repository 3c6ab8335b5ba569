/// Something that a camera does otherwise than its driver says, and that its source makes up for.
public enum SourceOddity: Hashable, Sendable, CustomStringConvertible {
  /// The time stamps of the driver cannot be true, so that frames have the times of their arrival.
  case untrueTimeStamps
  /// Every picture has the size `found` in place of `told`, the one that the driver confirmed. The frames have the size
  /// `published`, which is less than `found` where the camera only fills its last blocks up.
  case otherPictureSize(told: Size, found: Size, published: Size)

  /// A sentence for the log.
  public var description: String {
    switch self {
    case .untrueTimeStamps:
      """
      The driver's time stamps stand still, go back or belong to another clock; frames have the times of their arrival.
      """
    case .otherPictureSize(let told, let found, let published):
      "The driver confirmed pictures of \(told), and the camera sends \(found); frames have \(published)."
    }
  }
}
