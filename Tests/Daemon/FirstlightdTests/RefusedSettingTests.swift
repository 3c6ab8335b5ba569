import ArgumentParser
import Testing

@testable import firstlightd

/// What the daemon tells an operator of a setting that it cannot use.
@Suite struct RefusedSettingTests {
  /// A range of a key, with its bounds as the daemon tells them.
  struct Bounds: CustomTestStringConvertible, Sendable {
    let key: String
    let least: String
    let most: String
    let tooSmall: String
    let tooLarge: String

    init(_ key: String, _ range: ClosedRange<Int>) {
      self.key = key
      (least, most) = ("\(range.lowerBound)", "\(range.upperBound)")
      (tooSmall, tooLarge) = ("\(range.lowerBound - 1)", "\(range.upperBound + 1)")
    }

    init(seconds key: String, _ range: ClosedRange<Double>) {
      self.key = key
      (least, most) = ("\(range.lowerBound)", "\(range.upperBound)")
      (tooSmall, tooLarge) = ("\(range.lowerBound - 0.5)", "\(range.upperBound + 0.5)")
    }

    var testDescription: String { key }
  }

  @Test(arguments: [
    Bounds("video-storage-capacity", 0...1_099_511_627_776),
    Bounds("synthetic", 0...16),
    Bounds("synthetic-microphones", 0...16),
    Bounds("synthetic-usb-megabits", 1...20_000),
    Bounds("max-request-bytes", 65_536...67_108_864),
    Bounds("max-connections", 1...65_536),
    Bounds("max-connections-per-address", 1...65_536),
    Bounds("max-calls-per-second", 0...100_000),
    Bounds(seconds: "drain-timeout", 0...60),
    Bounds(seconds: "deferred-start-limit", 0...60),
  ])
  func aNumberHasARange(_ bounds: Bounds) async {
    for value in [bounds.least, bounds.most] {
      #expect(await told("\(bounds.key): \(value)") == nil)
    }
    for value in [bounds.tooSmall, bounds.tooLarge] {
      let sentence = "\(bounds.key) is \(value); it must be from \(bounds.least) to \(bounds.most)."
      #expect(await told("\(bounds.key): \(value)") == sentence)
    }
  }

  @Test(arguments: ["here", "127.0.0.1", ":80", "127.0.0.1:65536", "None", "::1:80"])
  func anAddressOfHTTPHasAPort(_ address: String) async {
    #expect(
      await told("http-listen: '\(address)'")
        == "http-listen is \"\(address)\"; it must be an address and a port, such as 127.0.0.1:8080, or none.")
  }

  @Test(arguments: ["here", "127.0.0.1", "none"]) func anAddressOfMetricsHasAPort(_ address: String) async {
    #expect(
      await told("metrics-listen: '\(address)'")
        == "metrics-listen is \"\(address)\"; it must be an address and a port, such as 127.0.0.1:9464.")
  }

  @Test(arguments: ["cam:80", "", "cam/", "cam era"]) func aHostIsANameWithoutAPort(_ host: String) async {
    #expect(
      await told("http-hosts: [good.example, '\(host)']")
        == "http-hosts has \"\(host)\"; it must be a host name without a port, such as camera.example.")
  }

  @Test(arguments: [
    "https://photos.example/", "photos.example", "https:photos.example", "https:///photos.example",
    "ftp://photos.example", "https://", "https:/x/photos.example", "*",
  ])
  func anOriginIsWhatABrowserSends(_ origin: String) async {
    #expect(
      await told("http-origins: [https://good.example, '\(origin)']")
        == """
        http-origins has "\(origin)"; it must be an origin as a browser sends it, such as https://photos.example or \
        http://10.0.0.7:3000, without a path.
        """)
  }

  @Test(arguments: ["cpu-thermal=80/70", "cpu-thermal", "cpu-thermal=70", "=70/80", "cpu-thermal=70/80/90/100/110"])
  func thresholdsGrow(_ entry: String) async {
    #expect(
      await told("pressure-thresholds: [gpu=60/70, '\(entry)']")
        == """
        pressure-thresholds has "\(entry)"; it must be a zone, chip or camera and two to four growing temperatures in \
        °C, such as cpu-thermal=70/80/90/100 for fair, serious, critical and shutdown.
        """)
  }

  @Test(arguments: ["loud", "Info", "6", ""]) func aLevelOfTheLogIsOneOfSeven(_ level: String) async {
    #expect(
      await told("log-level: '\(level)'")
        == """
        log-level is "\(level)"; it must be one of ["trace", "debug", "info", "notice", "warning", "error", "critical"].
        """)
  }

  @Test func theDaemonListensSomewhere() async {
    #expect(await told("listen: []") == "listen names no address.")
  }

  /// A refusal is the same wherever the setting comes from.
  @Test func aVariableAndAFlagAreRefusedToo() async {
    let told = "synthetic is 99; it must be from 0 to 16."
    #expect(await refusal { _ = try await settings(variables: ["FIRSTLIGHT_SYNTHETIC": "99"]) } == told)
    #expect(await refusal { _ = try await settings(["--synthetic=99"]) } == told)
  }

  @Test(arguments: [("SYNTHETIC", "int"), ("DRAIN_TIMEOUT", "double"), ("PREWARM", "bool")])
  func aVariableOfTheWrongTypeIsRefused(_ name: String, _ type: String) async {
    let name = "FIRSTLIGHT_\(name)"
    #expect(
      await refusal { _ = try await settings(variables: [name: "many"]) }
        == "Config value for key '\(name)' failed to convert to type \(type).")
  }

  @Test(arguments: [("synthetic: many", "int"), ("drain-timeout: long", "double"), ("prewarm: perhaps", "bool")])
  func aKeyOfTheWrongTypeIsRefused(_ line: String, _ type: String) async {
    let key = line.prefix { $0 != ":" }
    #expect(
      await told(line)
        == "Config value for key '\(key)' failed to convert to type \(type).")
  }

  @Test func aFlagOfTheWrongTypeIsRefused() {
    #expect(parsing("--synthetic", "many") == "The value 'many' is invalid for '--synthetic <synthetic>'")
    #expect(parsing("--synthetic", "-1") == "Missing value for '--synthetic <synthetic>'")
    #expect(parsing("--no-such-flag") == "Unknown option '--no-such-flag'")
    #expect(parsing("surplus") == "Unexpected argument 'surplus'")
  }

  @Test func aFileThatIsNotThereIsRefusedHoweverItIsNamed() async {
    let told = "There is no configuration file /nowhere/firstlight.yaml; correct its name, or leave it out."
    #expect(await refusal { _ = try await settings(["--config", "/nowhere/firstlight.yaml"]) } == told)
    let variables = ["FIRSTLIGHT_CONFIG": "/nowhere/firstlight.yaml"]
    #expect(await refusal { _ = try await settings(variables: variables) } == told)
  }

  /// What the daemon tells of a file with this line; nil when it takes the file.
  private func told(_ line: String) async -> String? {
    await refusal { _ = try await settings(file: line + "\n") }
  }

  /// What the daemon tells of these arguments before it looks at any value; nil when it takes them.
  private func parsing(_ arguments: String...) -> String? {
    do { _ = try Firstlightd.parseAsRoot(["serve"] + arguments) } catch { return Firstlightd.message(for: error) }
    return nil
  }
}
