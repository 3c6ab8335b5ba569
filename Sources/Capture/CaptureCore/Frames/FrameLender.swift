/// The owner of memory that holds one frame for as long as somebody uses the frame, such as a driver's buffer.
public protocol FrameLender: AnyObject, Sendable {
  /// Takes the memory back, because nobody uses the frame any more. Called once for each frame, on any thread; must not
  /// block.
  func takeBack()
}
