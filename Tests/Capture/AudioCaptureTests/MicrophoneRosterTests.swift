import CaptureCore
import Glibc
import Testing

@testable import AudioCapture

/// What microphones are called, and what a client is told of changes.
@Suite struct MicrophoneRosterTests {
  private func input(
    _ card: Int, serial: String? = "A1", port: String = "1", device: Int = 0,
    answer: FoundInput.Answer = .capabilities(sampleRates: [48_000], channelCounts: [1])
  ) -> FoundInput {
    let hardware = SoundTree.Hardware(
      cardID: "Webcam", location: "usb-0000:00:14.0-\(port)", model: "046d-0825", serial: serial)
    let (preferred, fallback) = FoundInput.ids(hardware, device: device)
    return FoundInput(
      pcm: "hw:\(card),\(device)", path: "/dev/snd/pcmC\(card)D\(device)c", displayName: "Webcam", driver: "USB-Audio",
      location: hardware.location, preferredID: preferred, fallbackID: fallback, answer: answer)
  }

  private func ids(_ roster: MicrophoneRoster) -> [String] { roster.entries.map(\.microphone.id) }

  /// A USB microphone is called by its serial number wherever it is plugged in, another card by its name.
  @Test func idsAreStable() {
    var roster = MicrophoneRoster(DeviceDirectory())
    _ = roster.update([input(0)])
    #expect(ids(roster) == ["046d-0825-a1-microphone"])
    _ = roster.update([])
    _ = roster.update([input(3, port: "2"), input(3, port: "2", device: 1)])
    #expect(ids(roster) == ["046d-0825-a1-microphone", "046d-0825-a1-microphone-1"])
    let card = FoundInput.ids(SoundTree.Hardware(cardID: "Loopback"), device: 0)
    #expect(card.preferred == "loopback-microphone")
    let long = FoundInput.ids(
      SoundTree.Hardware(cardID: "x", model: "046d-0825", serial: String(repeating: "s", count: 90)), device: 12)
    #expect(long.preferred.hasSuffix("-microphone-12") && DeviceID.isValid(long.preferred))
  }

  /// Twins with the same serial number get ids by port; one that has its id already keeps it.
  @Test func twinsAreCalledByPort() {
    var together = MicrophoneRoster(DeviceDirectory())
    _ = together.update([input(0, port: "1"), input(1, port: "2")])
    let byPort = ["046d-0825-usb-0000-00-14.0-1-microphone", "046d-0825-usb-0000-00-14.0-2-microphone"]
    #expect(ids(together) == byPort)
    var later = MicrophoneRoster(DeviceDirectory())
    _ = later.update([input(0, port: "1")])
    _ = later.update([input(0, port: "1"), input(1, port: "2")])
    #expect(Set(ids(later)) == ["046d-0825-a1-microphone", byPort[1]])
  }

  /// The operator's names apply by the id, and never by the place, which a camera shares.
  @Test func operatorsNameMicrophones() {
    let directory = DeviceDirectory([
      DeviceDirectory.Entry("usb-0000:00:14.0-1", id: "front"),
      DeviceDirectory.Entry("046d-0825-a1-microphone", id: "desk", label: "Desk"),
    ])
    var roster = MicrophoneRoster(directory)
    _ = roster.update([input(0)])
    #expect(ids(roster) == ["desk"])
    #expect(roster.entries[0].microphone.label == "Desk")
  }

  /// A busy input keeps what was known of it, and is asked again.
  @Test func busyInputsKeepWhatWasKnown() {
    var roster = MicrophoneRoster(DeviceDirectory())
    _ = roster.update([input(0)])
    #expect(!roster.isWaiting)
    let busy = FoundInput.Answer.busy(sampleRates: [16_000], channelCounts: [2])
    #expect(roster.update([input(0, answer: busy)]).isEmpty)
    #expect(roster.entries[0].microphone.sampleRates == [48_000])
    #expect(roster.isWaiting)
    // Of an input that was busy from the beginning only the present form is known, until it is free.
    var late = MicrophoneRoster(DeviceDirectory())
    _ = late.update([input(0, answer: busy)])
    #expect(late.entries[0].microphone.sampleRates == [16_000])
    #expect(late.entries[0].microphone.mayDeliverMore)
    #expect(!roster.entries[0].microphone.mayDeliverMore)
    #expect(late.update([input(0)]).map(\.kind) == [.changed])
    #expect(late.entries[0].microphone.sampleRates == [48_000])
  }

  /// An input that may not be opened is listed with the way out. One that comes later is held for a moment, in which
  /// udev may give it to its group.
  @Test func refusedInputsSayWhatHelps() throws {
    let refused = FoundInput.Answer.refused(PCMError(call: "snd_pcm_open", errno: EACCES))
    var roster = MicrophoneRoster(DeviceDirectory())
    _ = roster.update([input(0, answer: refused)])
    let error = try #require(roster.entries[0].microphone.unavailable)
    #expect(error.reason == .deviceAccessDenied)
    #expect(error.message.contains("usermod -aG audio"))
    #expect(roster.update([input(0)]).map(\.kind) == [.changed])

    #expect(roster.update([input(0), input(1, serial: "B", port: "2", answer: refused)]).isEmpty)
    #expect(roster.isWaiting)
    #expect(roster.update([input(0), input(1, serial: "B", port: "2", answer: refused)]).isEmpty)
    let changes = roster.update([input(0), input(1, serial: "B", port: "2", answer: refused)], isProbe: true)
    #expect(changes.map(\.kind) == [.connected])
  }

  /// A new card is shown when it tells its names, so that it never appears under a name that changes at once.
  @Test func cardsAreShownWithTheirNames() {
    var roster = MicrophoneRoster(DeviceDirectory())
    _ = roster.update([])
    var early = input(0)
    early.isDescribed = false
    #expect(roster.update([early]).isEmpty)
    #expect(roster.update([early]).isEmpty)
    #expect(roster.update([input(0)]).map(\.kind) == [.connected])
  }

  /// Microphones come and go as events.
  @Test func changesAreTold() {
    var roster = MicrophoneRoster(DeviceDirectory())
    #expect(roster.update([input(0)]).map(\.kind) == [.connected])
    #expect(roster.update([input(0)]).isEmpty)
    #expect(roster.update([]).map(\.kind) == [.disconnected])
  }
}
