import CaptureCore
import CaptureTestKit
import Foundation
import Logging
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

  private func provider() async throws -> ALSAMicrophoneProvider {
    try run("modprobe snd-aloop")
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
}
