import CaptureCore
import CaptureTestKit
import FirstlightAPI
import Foundation
import OverlayDrawing
import SwiftProtobuf
import Testing

@testable import FirstlightServices

/// Images in the overlays of clients: their sizes, their memory and their decoding. The time limit is for a test whose
/// awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct OverlayImageTests {
  /// The beginning of a PNG file, which cannot be decoded.
  private func beginning(_ side: UInt16) -> Data {
    let bytes: [UInt8] = [0, 0, UInt8(side >> 8), UInt8(side & 0xff)]
    return Data([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52] + bytes + bytes)
  }

  private func error(_ sides: [UInt16]) async -> CaptureError? {
    let proto = Firstlight_V1_Overlay.with { overlay in
      overlay.elements = sides.map { side in .with { $0.image.png = beginning(side) } }
    }
    return await #expect(throws: CaptureError.self) { try await Overlay(proto, path: "overlay") }
  }

  /// A small file may hold a large image, so the size in the header is checked before the image is decoded.
  @Test func imagesAreMeasuredBeforeTheyAreDecoded() async {
    let tooMany = await error([4096, 1])
    #expect(tooMany?.field == "overlay.elements[1].image" && tooMany?.metadata["limit"] == "\(4096 * 4096)")
    let damaged = await error([4096])
    #expect(damaged?.reason == .invalidArgument && damaged?.field == "overlay.elements[0].image.png")
    #expect(await error([4097])?.field == "overlay.elements[0].image.png")
  }

  private func overlay(pixels: Int, _ decoder: ImageDecoder) async throws(CaptureError) -> Overlay {
    let proto = Firstlight_V1_Overlay.with { overlay in
      overlay.elements = [
        .with { element in
          element.image.pixels = .with {
            ($0.width, $0.height, $0.rgba) = (UInt32(pixels), 1, Data(repeating: 255, count: 4 * pixels))
          }
        }
      ]
    }
    return try await Overlay(proto, path: "overlay", decoder: decoder)
  }

  /// Images that were decoded count against the budget as long as an overlay has them.
  @Test func decodedImagesCountAgainstTheBudgetWhileTheyExist() async throws {
    let decoder = ImageDecoder(depth: 1, budget: 4 * 100)
    var first: Overlay? = try await overlay(pixels: 60, decoder)
    let second = try await overlay(pixels: 40, decoder)
    let error = await #expect(throws: CaptureError.self) { try await overlay(pixels: 1, decoder) }
    #expect(error?.reason == .outOfBuffers && error?.field == "overlay.elements[0].image")
    #expect(error?.metadata == ["bytes": "4", "limit": "400"])
    #expect(first?.elements.count == 1 && second.elements.count == 1)
    first = nil
    let third = try await overlay(pixels: 60, decoder)
    #expect(third.elements.count == 1)
  }

  @Test func imagesThatCannotBeDecodedTakeNoneOfTheBudget() async throws {
    let decoder = ImageDecoder(depth: 1, budget: 4 * 100)
    let damaged = Firstlight_V1_Overlay.with { $0.elements = [.with { $0.image.png = beginning(10) }] }
    for _ in 0..<2 {
      let error = await #expect(throws: CaptureError.self) {
        try await Overlay(damaged, path: "overlay", decoder: decoder)
      }
      #expect(error?.reason == .invalidArgument)
    }
    // The budget is for 10 by 10 pixels.
    let large = Firstlight_V1_Overlay.with { $0.elements = [.with { $0.image.png = beginning(11) }] }
    let error = await #expect(throws: CaptureError.self) {
      try await Overlay(large, path: "overlay", decoder: decoder)
    }
    #expect(error?.reason == .outOfBuffers, "the pixels of a file count before they are decoded")
  }

  /// However many calls come at once, one overlay is decoded at a time. Calls beyond those that may wait are refused.
  @Test func oneOverlayIsDecodedAtATimeAndFewWait() async throws {
    let decoder = ImageDecoder(depth: 2, budget: 0)
    let held = HeldDecoding(depth: 3)
    try await withThrowingTaskGroup(of: CaptureError.Reason?.self) { group in
      func add() { group.addTask { await held.run(on: decoder) } }
      add()
      _ = try await held.begun.wait(count: 1)
      // Two of these calls can wait, and none of them ends before the gate opens.
      for _ in 0..<3 { add() }
      #expect(try await group.next() == .tooManyRequests)
      #expect(held.begun.count == 1)
      for _ in 0..<3 { held.gate.put(()) }
      for try await reason in group { #expect(reason == nil) }
      #expect(held.begun.count == 3)
    }
  }
}
