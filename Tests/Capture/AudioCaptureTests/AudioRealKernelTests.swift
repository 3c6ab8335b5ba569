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
  private let id = "loopback-microphone-1"
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
  private let sink = RecordingAudioSink()

  private func run(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command)")
  }

  /// With one stream for each input, so that a second program finds it in use.
  private func provider() async throws -> ALSAMicrophoneProvider {
    try run("modprobe snd-aloop pcm_substreams=1")
    let provider = ALSAMicrophoneProvider(logger: Logger(label: "real kernel"))
    let changes = provider.changes()
    if await !provider.microphones().contains(where: { $0.id == id && !$0.sampleRates.isEmpty }) {
      for await change in changes where change.microphone.id == id && !change.microphone.sampleRates.isEmpty { break }
    }
    return provider
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
    // The provider lists an input, and what it can deliver, just before it announces that, so the announcements may
    // still come here.
    for await change in changes where change.microphone.id == id && change.kind == .disconnected { break }
    #expect(await provider.microphones().isEmpty)
    try run("modprobe snd-aloop pcm_substreams=1")
    for await change in changes where change.microphone.id == id {
      #expect(change.kind == .connected)
      break
    }
  }

  /// What a program plays is heard, without a gap and without a step of the time.
  @Test func soundIsHeard() async throws {
    let source = try await provider().start(format, on: id, sink: sink)
    let player = try LoopbackPlayer()
    defer { player.stop() }
    let heard = try await sink.blocks.wait { $0.last?.samples.contains { $0 > 0.1 } ?? false }
    let blocks = try await sink.blocks.wait(count: heard.count + 100)
    await source.stop()
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time })
    #expect(sink.ends.all.isEmpty)
  }

  /// The clock of the card is measured against the monotonic one. The driver divides the rate by what `PCM Rate Shift`
  /// tells.
  @Test(arguments: [100_000, 100_100])
  func driftIsMeasured(shift: Int) async throws {
    let provider = try await provider()
    try run("amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1 \(shift)")
    let source = try await provider.start(format, on: id, sink: sink)
    try await sink.blocks.wait(upTo: .seconds(60)) { _ in source.drift != nil }
    let drift = try #require(source.drift)
    await source.stop()
    try run("amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1 100000")
    #expect(abs(drift - (100_000 / Double(shift) - 1) * 1e6) < 100)
  }

  /// A buffer that runs over becomes silence, after which the sound goes on.
  @Test func anOverrunBecomesSilence() async throws {
    let sink = LateAudioSink()
    let source = try await provider().start(format, on: id, sink: sink)
    let player = try LoopbackPlayer()
    defer { player.stop() }
    let loss = try await sink.losses.wait(count: 1)[0]
    let end = loss.time + loss.nanoseconds
    try await sink.blocks.first { block in block.time > end && block.samples.contains { $0 > 0.1 } }
    await source.stop()
    #expect(loss.cause == .overrun)
    // The buffer holds half a second.
    #expect(loss.nanoseconds > 400_000_000)
    let blocks = sink.blocks.all
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time })
    #expect(blocks.contains { $0.silentCount == $0.count })
  }

  /// A second program cannot have the input, and the input is free when the source has stopped.
  @Test func aBusyInputIsInUse() async throws {
    let provider = try await provider()
    let source = try await provider.start(format, on: id, sink: sink)
    let error = await #expect(throws: CaptureError.self) {
      await (try provider.start(format, on: id, sink: RecordingAudioSink())).stop()
    }
    #expect(error?.reason == .deviceInUse)
    await source.stop()
    await (try provider.start(format, on: id, sink: sink)).stop()
  }

  /// A card that is pulled out while it captures ends the source as disconnected, at whatever point of the kernel's
  /// work the capture thread notices it.
  @Test func aCardThatIsPulledOutEndsTheSource() async throws {
    for _ in 1...5 {
      let sink = RecordingAudioSink()
      let source = try await provider().start(format, on: id, sink: sink)
      try await sink.blocks.wait(count: 10)
      try run("echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind")
      #expect(try await sink.ends.wait(count: 1).map(\.reason) == [.deviceDisconnected])
      await source.stop()
      try run("rmmod snd-aloop")
    }
  }
}
