internal import CWatchdog

/// What one thread was doing.
struct ThreadStack: Sendable {
  let threadID: Int32
  /// The name that `ps -L` shows.
  let name: String
  /// One line for each call, the innermost first, as `addr2line` takes them: the file, the offset in it, and the name
  /// of the function where the file tells it. Empty for a thread that did not answer.
  let frames: [String]

  /// The stacks of all threads but the calling one. Interrupts each of them for an instant.
  static func all() -> [ThreadStack] {
    var stacks: [ThreadStack] = []
    withUnsafeMutablePointer(to: &stacks) { stacks in
      cwatchdog_visit_stacks(stacks) { context, stack in
        context!.assumingMemoryBound(to: [ThreadStack].self).pointee.append(ThreadStack(stack.pointee))
      }
    }
    return stacks
  }

  private init(_ stack: cwatchdog_stack) {
    threadID = stack.thread_id
    name = String(cString: stack.name)
    frames = (0..<stack.count).compactMap { stack.frames?[$0].map { Self.line($0) } }
  }

  private static func line(_ address: UnsafeMutableRawPointer) -> String {
    var file: UnsafePointer<CChar>?
    var symbol: UnsafePointer<CChar>?
    let offset = String(cwatchdog_locate(address, &file, &symbol), radix: 16)
    let module = file.map { String(cString: $0).split(separator: "/").last.map(String.init) ?? "" } ?? "?"
    return "\(module)+0x\(offset)" + (symbol.map { " " + String(cString: $0) } ?? "")
  }
}
