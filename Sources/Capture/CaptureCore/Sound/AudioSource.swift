/// A microphone that is capturing. The source owns the microphone's handle and the capture thread.
public protocol AudioSource: AnyObject, Sendable {
  /// The ``Microphone/id`` of the microphone.
  var deviceID: String { get }
  /// The form of all blocks of this source.
  var format: AudioFormat { get }
  /// By how many millionths the sound card's clock is faster than the machine's, as measured until now; negative where
  /// it is slower. The blocks are free of this drift. Nil until the source has listened long enough to know it.
  var drift: Double? { get }

  /// Stops capturing, then closes the microphone. When this method returns, another process can open the microphone,
  /// and the source does not call its sink any more. Calling this method twice, or after the microphone was lost, is
  /// harmless.
  func stop() async
}
