internal import CaptureCore

/// What a reader is told of its next picture before that picture comes.
struct ExpectedPicture: Hashable, Sendable {
  var size: Size
  /// The quality of JPEG and H.264, as in ``ReaderSlotStateMachine/Offer``.
  var quality = 0
}
