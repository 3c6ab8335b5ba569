internal import VideoCoding

/// What the recordings of one movie have in common: the camera, and the form of each track. A value.
///
/// This is the only rule for what fits into one movie. ``RecordingSpan`` and ``ExportBuilder`` both ask it, so whatever
/// is listed as a span can be exported.
struct SharedForm: Hashable, Sendable {
  /// Why a recording does not fit.
  enum Difference: Hashable, Sendable {
    /// It shows another camera.
    case camera
    /// A decoder of a track of the ones before cannot decode the same track of this one.
    case form
  }

  private var device: String?
  /// Nil once a recording was taken of whose form nobody knows.
  private var digests: [Int: UInt64]? = [:]

  /// Takes a recording. A track that the ones before do not have is no difference.
  ///
  /// - Parameter form: nil when nobody knows it. Such a recording fits no other one.
  /// - Returns: why it does not fit. Then nothing is taken.
  mutating func take(_ form: MovieForm?, of device: String) -> Difference? {
    guard let former = self.device else {
      (self.device, digests) = (device, form?.digests)
      return nil
    }
    guard former == device else { return .camera }
    guard let form, let known = digests else { return .form }
    for (place, digest) in form.digests where known[place] ?? digest != digest { return .form }
    digests = known.merging(form.digests) { former, _ in former }
    return nil
  }
}
