/// Reads how long tasks wait: `pressure/*` below the root of processes for the whole machine, and for the daemon's own
/// container the files of its cgroup, `fs/cgroup/…/*.pressure` below the root of devices (cgroup v2 only).
///
/// Files as in the kernel's `Documentation/accounting/psi.rst` and `Documentation/admin-guide/cgroup-v2.rst`. Never fails:
/// what cannot be read is a fault of its reading; what is missing is not there, as on kernels without it.
struct StallReader: Sendable {
  /// Two lines of four numbers.
  static let maximumBytes = 512
  /// A line for each hierarchy, with a path.
  static let maximumCgroupBytes = 16_384

  private let sysfsRoot: String
  private let procfsRoot: String

  init(sysfsRoot: String, procfsRoot: String) {
    self.sysfsRoot = sysfsRoot
    self.procfsRoot = procfsRoot
  }

  /// - Parameter faults: gets why there are none, if not for want of any.
  func read(_ faults: inout [String]) -> [ResourceStall] {
    var stalls: [ResourceStall] = []
    if let folder = Folder.ifThere(procfsRoot + "/pressure", faults: &faults) {
      Self.read(.host, in: folder, suffix: "", &stalls)
    }
    // Each time: the daemon may be moved to another cgroup.
    if let path = ownCgroup(), let folder = Folder.ifThere(sysfsRoot + "/fs/cgroup" + path, faults: &faults) {
      Self.read(.cgroup, in: folder, suffix: ".pressure", &stalls)
    }
    return stalls
  }

  private static func read(
    _ scope: ResourceStall.Scope, in folder: borrowing Folder, suffix: String, _ stalls: inout [ResourceStall]
  ) {
    for resource in ResourceStall.Resource.allCases {
      let file = resource.rawValue + suffix
      var stall = ResourceStall(resource, scope)
      do throws(ReadFault) {
        let shares = try parse(try folder.text(file, limit: maximumBytes))
        (stall.someCentipercent, stall.fullCentipercent) = shares
      } catch {
        if error.isMissing { continue }
        stall.fault = "\(file) \(error.text)"
      }
      stalls.append(stall)
    }
  }

  /// The path in `self/cgroup`, which begins with `/`. Nil without cgroup v2, and for a cgroup outside of what the
  /// container sees (`/../…`).
  private func ownCgroup() -> String? {
    guard let folder = try? Folder(path: procfsRoot + "/self"),
      let text = try? folder.text("cgroup", limit: Self.maximumCgroupBytes),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else { return nil }
    let path = line.dropFirst("0::".count)
    return path.split(separator: "/").contains("..") ? nil : String(path)
  }

  /// Takes `some avg10=1.53 avg60=…` and, where the kernel has it, `full avg10=…`: hundredths of a percent.
  static func parse(_ text: String) throws(ReadFault) -> (some: Int, full: Int?) {
    var some: Int?
    var full: Int?
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard let field = fields.first(where: { $0.hasPrefix("avg10=") }) else { continue }
      let value = try centipercent(field.dropFirst("avg10=".count))
      switch fields.first {
      case "some": some = value
      case "full": full = value
      default: continue
      }
    }
    guard let some else { throw ReadFault("is not pressure stall information") }
    return (some, full)
  }

  /// Two digits after the point, as the kernel prints them.
  private static func centipercent(_ text: Substring) throws(ReadFault) -> Int {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, let whole = UInt8(parts[0]), let hundredths = UInt8(parts[1]),
      Int(whole) * 100 + Int(hundredths) <= 100_00
    else { throw ReadFault("has no share of time: \(text.prefix(20))") }
    return Int(whole) * 100 + Int(hundredths)
  }
}
