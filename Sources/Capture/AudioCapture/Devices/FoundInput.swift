internal import CaptureCore

/// An input of a sound card or of a sound server, before it has a name.
struct FoundInput: Hashable, Sendable {
  /// The answer of an input that the discovery thread asked for its rates and channels.
  enum Answer: Hashable, Sendable {
    case capabilities(sampleRates: [Int], channelCounts: [Int])
    /// Another program uses the input, in a form that the input can deliver. Both are empty when nothing tells the
    /// form.
    case busy(sampleRates: [Int], channelCounts: [Int])
    /// The daemon may not open the input.
    case refused(PCMError)
    /// The input failed.
    case failed(PCMError)
  }

  /// libasound's name of the input, such as `hw:0,0`. It may be another one after the next start.
  var pcm: String
  /// The input's node; empty for that of a sound server.
  var path: String
  var displayName: String
  var driver: String
  var location: String
  /// The id by serial number or by card, and the id by place, which distinguishes twins. Both are the same where there
  /// is no serial number.
  var preferredID: String
  var fallbackID: String
  var hasDriverStamps = true
  /// Whether the files of the card name it already. The kernel makes these files last, so that the first look at a new
  /// card may come too early.
  var isDescribed = true
  var answer: Answer

  /// Whether the daemon could open the input, at least when no other program uses it.
  var isUsable: Bool {
    switch answer {
    case .capabilities, .busy: true
    case .refused, .failed: false
    }
  }

  /// Whether another program uses the input.
  var isBusy: Bool {
    if case .busy = answer { true } else { false }
  }

  /// The id of the input of a card.
  ///
  /// - Parameter device: the number of the input on the card.
  static func ids(_ hardware: SoundTree.Hardware, device: Int) -> (preferred: String, fallback: String) {
    let suffix = device == 0 ? "-microphone" : "-microphone-\(device)"
    guard let model = hardware.model else {
      let id = make(hardware.cardID, suffix)
      return (id, id)
    }
    let fallback = make("\(model)-\(hardware.location)", suffix)
    return (hardware.serial.map { make("\(model)-\($0)", suffix) } ?? fallback, fallback)
  }

  /// Spells an id whose suffix is never cut off, so that no camera has the same.
  private static func make(_ text: String, _ suffix: String) -> String {
    let id = DeviceID.make(text + suffix)
    if id.hasSuffix(suffix) { return id }
    // A long name ends in a hash of 8 characters; see DeviceID.
    return id.prefix(DeviceID.maximumLength - suffix.utf8.count - 9) + id.suffix(9) + suffix
  }
}
