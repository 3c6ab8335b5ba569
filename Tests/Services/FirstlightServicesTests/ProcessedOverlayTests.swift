import CaptureCore
import CaptureTestKit
import FirstlightAPI
import Foundation
import FrameDelivery
import SwiftProtobuf
import SystemClocks
import Testing

@testable import FirstlightServices

/// Overlays with images that a program answers with. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct ProcessedOverlayTests {
  private let overlay = Firstlight_V1_Overlay.with { overlay in
    overlay.elements = [
      .with { element in
        element.image.pixels = .with { ($0.width, $0.height, $0.rgba) = (1, 1, Data([1, 2, 3, 255])) }
      }
    ]
  }

  /// When other clients' images fill the queue of the decoder, the answer counts as none and the program's stream goes
  /// on.
  @Test func aFullDecoderDoesNotEndTheStream() async throws {
    let context = FakeOutputContext()
    let preview = PreviewOutput(id: "preview", context: context, directory: ReaderDirectory())
    try await preview.prepare()
    let process = try preview.beginProcessing(deadlineFrames: 3)
    func capture(_ sequence: UInt64) throws {
      preview.receive(context.keep(try #require(Frame.fake(sequence: sequence, at: .epoch + sequence * 1_000_000))))
    }
    let decoder = ImageDecoder(depth: 1, budget: 4)
    let held = HeldDecoding(depth: 1)
    try await withThrowingTaskGroup(of: CaptureError.Reason?.self) { group in
      // Whatever fails, the group waits for all its tasks.
      defer { held.gate.close() }
      func add() { group.addTask { await held.run(on: decoder) } }
      add()
      _ = try await held.begun.wait(count: 1)
      for _ in 0..<2 { add() }
      // One of these two calls waits and leaves no room for the other.
      #expect(try await group.next() == .tooManyRequests)
      try capture(1)
      try await process.answer(streamID: 1, sequence: 1, overlay, decoder: decoder)
      while process.counts.unanswered == 0 { await Task.yield() }
      #expect(process.counts.shown == 0 && process.counts.unanswered == 1)
      held.gate.close()
      for try await reason in group { #expect(reason == nil) }
    }
    try capture(2)
    try await process.answer(streamID: 1, sequence: 2, overlay, decoder: decoder)
    // The answer is drawn on a thread of its own.
    while process.counts.shown == 0 { await Task.yield() }
    #expect(process.counts.shown == 1 && process.counts.unanswered == 1)
  }

  /// When other clients' images take the memory, the answer counts as none and the program's stream goes on.
  @Test func aUsedUpBudgetOfImagesDoesNotEndTheStream() async throws {
    let context = FakeOutputContext()
    let preview = PreviewOutput(id: "preview", context: context, directory: ReaderDirectory())
    try await preview.prepare()
    let process = try preview.beginProcessing(deadlineFrames: 3)
    preview.receive(context.keep(try #require(Frame.fake(sequence: 1, at: 1_000_000))))
    let decoder = ImageDecoder(depth: 1, budget: 3)
    try await process.answer(streamID: 1, sequence: 1, overlay, decoder: decoder)
    while process.counts.unanswered == 0 { await Task.yield() }
    #expect(process.counts.shown == 0 && process.counts.unanswered == 1)
  }

  /// The error names the element, because only the program can mend it.
  @Test func anInvalidOverlayIsAnErrorForTheProgram() async throws {
    let preview = PreviewOutput(id: "preview", context: FakeOutputContext(), directory: ReaderDirectory())
    let process = try preview.beginProcessing(deadlineFrames: 3)
    let error = await #expect(throws: CaptureError.self) {
      try await process.answer(streamID: 1, sequence: 1, .with { $0.elements = [.init()] })
    }
    #expect(error?.reason == .invalidArgument && error?.field == "answer.overlay.elements[0]")
  }
}
