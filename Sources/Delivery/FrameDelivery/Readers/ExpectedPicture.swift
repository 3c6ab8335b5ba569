internal import CaptureCore

/// What a reader can be told of a picture before it comes.
struct ExpectedPicture: Hashable, Sendable {
  var size: Size
  /// As in ``ReaderSlotStateMachine/Offer``.
  var quality = 0
}
