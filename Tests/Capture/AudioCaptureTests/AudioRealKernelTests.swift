import CaptureCore
import Foundation
import Logging
import Testing

@testable import AudioCapture

/// Runs the module on Linux's own test driver `snd-aloop`. The tests need root, the environment variable
/// FIRSTLIGHT_REAL_KERNEL, and the module.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProcessInfo.processInfo.environment["FIRSTLIGHT_REAL_KERNEL"] != nil, "needs snd-aloop"))
struct AudioRealKernelTests {
  private let id = "loopback-microphone-1"

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
}
