import CaptureCore
import CaptureTestKit

@testable import FirstlightServices

/// Decoding that lasts until the test lets it end.
struct HeldDecoding: Sendable {
  /// Gets an element for each decoding that begins.
  let begun = Recorder<Void>()
  /// Lets one decoding end for each element, and every decoding once it is closed.
  let gate: Mailbox<Void>

  /// - Parameter depth: how many elements the gate takes ahead of the decodings.
  init(depth: Int) { gate = Mailbox(depth: depth) }

  /// Runs one decoding on `decoder`.
  ///
  /// - Returns: why the decoder refused it; nil when it has ended.
  func run(on decoder: ImageDecoder) async -> CaptureError.Reason? {
    do throws(CaptureError) {
      try await decoder.run { [begun, gate] in
        begun.append(())
        _ = gate.take()
      }
      return nil
    } catch { return error.reason }
  }
}
