/// Reads how long tasks wait. For the whole machine, the files are `pressure/*` below `procfsRoot`. For the daemon's
/// own container, they are the files `fs/cgroup/…/*.pressure` of its cgroup below `sysfsRoot` (cgroup v2 only).
///
/// The kernel describes the files in `Documentation/accounting/psi.rst` and `Documentation/admin-guide/cgroup-v2.rst`.
/// The reader never fails: a file that cannot be read is a fault of its reading. A missing file gives no reading,
/// because some kernels have no pressure stall information.
struct StallReader: Sendable {
  /// Room for a file of two lines with four numbers each.
  static let maximumBytes = 512
  /// Room for a line with a path for each hierarchy.
  static let maximumCgroupBytes = 16_384

  private let sysfsRoot: String
  private let procfsRoot: String

  init(sysfsRoot: String, procfsRoot: String) {
    self.sysfsRoot = sysfsRoot
    self.procfsRoot = procfsRoot
  }

  /// The stalls of the machine, then those of the daemon's container.
  ///
  /// - Parameter faults: gets the reason when a folder is there but cannot be opened.
  func read(_ faults: inout [String]) -> [ResourceStall] {
    var stalls: [ResourceStall] = []
    if let folder = Folder.ifThere(procfsRoot + "/pressure", faults: &faults) {
      Self.read(.host, in: folder, suffix: "", &stalls)
    }
    // The reader looks up the cgroup each time, because the daemon may be moved to another cgroup.
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

  /// The path of the daemon's cgroup in `self/cgroup`, which begins with `/`. Nil without cgroup v2, and for a cgroup
  /// outside of the part that the container sees (`/../…`).
  private func ownCgroup() -> String? {
    guard let folder = try? Folder(path: procfsRoot + "/self"),
      let text = try? folder.text("cgroup", limit: Self.maximumCgroupBytes),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else { return nil }
    let path = line.dropFirst("0::".count)
    return path.split(separator: "/").contains("..") ? nil : String(path)
  }

  /// Reads the share `avg10` of the lines `some avg10=1.53 avg60=…` and `full avg10=…`, in hundredths of a percent.
  /// `full` is nil where the kernel does not have that line.
  ///
  /// - Throws: ``ReadFault`` when a share is malformed or the line `some` is missing.
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

  /// Hundredths of a percent in a text with exactly two digits after the point, as the kernel prints percentages.
  private static func centipercent(_ text: Substring) throws(ReadFault) -> Int {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, let whole = UInt8(parts[0]), let hundredths = UInt8(parts[1]),
      Int(whole) * 100 + Int(hundredths) <= 100_00
    else { throw ReadFault("has no share of time: \(text.prefix(20))") }
    return Int(whole) * 100 + Int(hundredths)
  }
}
