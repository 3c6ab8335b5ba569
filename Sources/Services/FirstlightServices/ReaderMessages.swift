internal import FrameDelivery
internal import RPCCore

/// Gives the events of a reader to the transport as messages.
struct ReaderMessages<Reader: StreamReader>: MessageSource {
  let reader: Reader
  /// Makes the message of an event.
  let message: @Sendable (Reader.Event) throws -> LentMessage

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    reader.asking { [message] event in receiver(event.flatMap { event in Result { try message(event) } }) }
  }

  func abandonNext() { reader.abandonNext() }
}
