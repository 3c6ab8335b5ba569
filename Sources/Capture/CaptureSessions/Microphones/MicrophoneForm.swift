internal import CaptureCore

extension Microphone {
  /// The rate of sound when the client names none, in Hz, where the microphone has it.
  static let usualSampleRate = 48_000
  /// The number of channels when the client names none, where the microphone has it.
  static let usualChannelCount = 2

  /// The form in which a session captures the microphone: what the client named, and of the rest what the microphone
  /// has that is nearest to the usual.
  func form(for named: SessionConfiguration.PartialAudioFormat) -> AudioFormat {
    // The rate next above the usual one is next best, because no sound is lost. Only PCM has more than 96,000 Hz.
    let rate =
      sampleRates.first { (Self.usualSampleRate...96_000).contains($0) } ?? sampleRates.last { $0 <= 96_000 }
      ?? sampleRates.last ?? Self.usualSampleRate
    let count = channelCounts.last { $0 <= Self.usualChannelCount } ?? channelCounts.first ?? 1
    return AudioFormat(sampleRate: named.sampleRate ?? rate, channelCount: named.channelCount ?? count)
  }

  /// Whether the microphone tells every form that it has.
  var tellsItsForms: Bool {
    unavailable == nil && !mayDeliverMore && !sampleRates.isEmpty && !channelCounts.isEmpty
  }
}

extension MicrophoneRegistry {
  /// The form in which a microphone can be captured now. Its form may have been resolved while it was away or could not
  /// tell its forms.
  func form(of microphone: ResolvedConfiguration.Microphone) async -> AudioFormat {
    guard let present = await self.microphone(microphone.deviceID), present.tellsItsForms else {
      return microphone.format
    }
    return present.form(for: microphone.named)
  }
}
