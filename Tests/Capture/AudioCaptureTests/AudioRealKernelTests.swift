import CaptureCore
import CaptureTestKit
import Foundation
import Logging
import SystemClocks
import Testing

@testable import AudioCapture

/// Runs the module on Linux's own test driver `snd-aloop`, whose inputs hear what programs play on its outputs, and
/// whose clock can be made wrong. The tests need root, the environment variable FIRSTLIGHT_REAL_KERNEL, the module, and
/// alsa-utils.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProcessInfo.processInfo.environment["FIRSTLIGHT_REAL_KERNEL"] != nil, "needs snd-aloop"))
struct AudioRealKernelTests {
  private let sink = RecordingAudioSink()
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
  private let id = "loopback-microphone-1"

  @discardableResult
  private func run(_ command: String, waits: Bool = true) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    try process.run()
    if waits {
      process.waitUntilExit()
      try #require(process.terminationStatus == 0, "\(command)")
    }
    return process
  }

  private func provider() async throws -> ALSAMicrophoneProvider {
    try run("modprobe snd-aloop")
    let provider = ALSAMicrophoneProvider(logger: Logger(label: "real kernel"))
    let changes = provider.changes()
    if await !provider.microphones().contains(where: { $0.id == id && !$0.sampleRates.isEmpty }) {
      for await change in changes where change.microphone.id == id && !change.microphone.sampleRates.isEmpty { break }
    }
    return provider
  }

  /// Plays a sine of 1,000 Hz until the process ends. Whoever opens the card first decides about its sample format, so
  /// the sound plays when the method returns.
  private func play() throws -> Process {
    let player = try run(
      "exec speaker-test -D hw:Loopback,0 -c 2 -r 48000 -F S16_LE -t sine -f 1000 >/dev/null 2>&1", waits: false)
    try run("until grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status; do sleep 0.1; done")
    return player
  }

  /// The inputs are listed with what they can deliver, and are gone while the module is.
  @Test func inputsAreListed() async throws {
    let provider = try await provider()
    let microphone = try #require(await provider.microphones().first { $0.id == id })
    #expect(microphone.sampleRates.contains(48_000))
    #expect(microphone.channelCounts.contains(2))
    #expect(microphone.driver == "Loopback")
    #expect(microphone.hasDriverStamps)
    let changes = provider.changes()
    try run("rmmod snd-aloop")
    for await change in changes where change.microphone.id == id {
      #expect(change.kind == .disconnected)
      break
    }
    #expect(await provider.microphones().isEmpty)
    try run("modprobe snd-aloop")
    for await change in changes where change.microphone.id == id {
      #expect(change.kind == .connected)
      break
    }
  }

  /// What a program plays is heard, and the clock of the card is measured, which `PCM Rate Shift` has made too fast or
  /// too slow by a thousandth.
  @Test(arguments: [(100_000, 0.0), (100_100, -1000), (99_900, 1000)])
  func soundIsHeardAndDriftIsMeasured(shift: Int, drift: Double) async throws {
    let provider = try await provider()
    try run("amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=0,subdevice=0 \(shift)")
    let player = try play()
    let source = try await provider.start(format, on: id, sink: sink)
    let blocks = try await sink.blocks.wait(upTo: .seconds(60)) { $0.reduce(0) { $0 + $1.count } > 20 * 48_000 }
    let measured = source.drift
    await source.stop()
    player.terminate()
    player.waitUntilExit()
    try run("amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=0,subdevice=0 100000")
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time })
    let loudest = blocks.suffix(50).flatMap(\.samples).max() ?? 0
    #expect(loudest > 0.1)
    // The emulated machine's interrupts are milliseconds late now and then.
    if sink.losses.all.isEmpty {
      let drifted = try #require(measured)
      #expect(abs(abs(drifted) - abs(drift)) < 100)
    }
  }

  /// What can be read after at most five seconds.
  private static func readings(of pcm: ALSAPCM) -> Result<[PCMReading], PCMError> {
    do throws(PCMError) {
      var readings: [PCMReading] = []
      if try pcm.wait(until: .now() + 5_000_000_000) {
        while let reading = try pcm.read() { readings.append(reading) }
      }
      return .success(readings)
    } catch { return .failure(error) }
  }

  /// A reader that does not come for a second finds the buffer run over; the grid goes on after silence.
  @Test func anOverrunBecomesSilence() async throws {
    _ = try await provider()
    let player = try play()
    let pcm = try ALSAPCM("hw:Loopback,1", format)
    var grid = DriftCompensation(format)
    var losses: [AudioLoss] = []
    var blocks: [AudioBlock] = []
    var isLate = false
    while losses.isEmpty || blocks.count < 100 {
      let result = Self.readings(of: pcm)
      switch result {
      case .success(let readings):
        for event in readings.flatMap({ grid.take($0) }) {
          switch event {
          case .block(let block): blocks.append(block)
          case .loss(let loss): losses.append(loss)
          }
        }
        if blocks.count > 50, !isLate {
          isLate = true
          try run("sleep 1")
        }
      case .failure(let error):
        try #require(error.loss == .overrun)
        grid.lose(.overrun)
        try pcm.restart()
      }
    }
    pcm.close()
    player.terminate()
    player.waitUntilExit()
    #expect(losses.first?.cause == .overrun)
    // The buffer of half a second is lost with what came after it.
    #expect((losses.first?.nanoseconds ?? 0) > 900_000_000)
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time })
  }

  /// A second program cannot have the input.
  @Test func aBusyInputIsInUse() async throws {
    let provider = try await provider()
    let source = try await provider.start(format, on: id, sink: sink)
    let error = await #expect(throws: CaptureError.self) {
      await (try provider.start(format, on: id, sink: RecordingAudioSink())).stop()
    }
    #expect(error?.reason == .deviceInUse)
    await source.stop()
    let again = try await provider.start(format, on: id, sink: sink)
    await again.stop()
  }
}
