import CaptureCore
import Foundation
import Testing

@testable import firstlightd

/// The configuration file as a whole: what may stand in it, and what the daemon tells of a file that it cannot use.
@Suite struct ConfigurationFileTests {
  @Test(arguments: ["", "# listen: 127.0.0.1:50051\n", "---\n", "~\n"])
  func aFileMaySetNothing(_ yaml: String) throws {
    let file = try ConfigurationFile(yaml: yaml, fileName)
    #expect(file.settings.isEmpty)
    #expect(file.devices.directory.entries.isEmpty)
    #expect(file.sessions == nil, "a file that says nothing of sessions leaves the default session")
  }

  @Test(arguments: ["devices:\n", "devices: {}\n", "devices: ~\n"])
  func aFileNeedNameNoCamera(_ yaml: String) throws {
    let file = try ConfigurationFile(yaml: yaml, fileName)
    #expect(file.devices.directory.entries.isEmpty)
    #expect(file.settings.isEmpty)
  }

  /// A file that declares no session leaves the default session away, unless the key has no value at all.
  @Test func aFileMayDeclareThatThereIsNoSession() throws {
    #expect(try ConfigurationFile(yaml: "sessions: {}\n", fileName).sessions?.isEmpty == true)
    #expect(try ConfigurationFile(yaml: "sessions:\n", fileName).sessions == nil)
  }

  /// The configuration library gets the settings and neither cameras nor sessions, which it could not read.
  @Test func aFileHasSettingsCamerasAndSessions() throws {
    let file = try ConfigurationFile(
      yaml: """
        synthetic: 2
        listen: [127.0.0.1:1, 127.0.0.1:2]
        devices: {synthetic-0: {id: door}}
        sessions:
          yard: {inputs: [{device: devices/door}], preview: {}}
          attic: {inputs: [{device: devices/door}], photo: {}}
        """, fileName)
    #expect(file.settings == "synthetic: 2\nlisten:\n- 127.0.0.1:1\n- 127.0.0.1:2\n")
    #expect(file.devices.directory.entries.map(\.key) == ["synthetic-0"])
    #expect(file.sessions?.map(\.id) == ["yard", "attic"], "sessions are created in the order of the file")
  }

  @Test(arguments: [
    ("- listen\n", "firstlight.yaml is not a mapping; write one `key: value` in each line."),
    ("5\n", "firstlight.yaml is not a mapping; write one `key: value` in each line."),
    (
      "synthetic: 1\nlisten: a:1\nsynthetic: 2\n",
      "firstlight.yaml, line 1: the key synthetic stands here and again below; keep one."
    ),
    (
      "sessions: [door]\n",
      "sessions in firstlight.yaml is not a mapping; write the id of each session, then its configuration."
    ),
    (
      "sessions: 5\n",
      "sessions in firstlight.yaml is not a mapping; write the id of each session, then its configuration."
    ),
  ])
  func aFileOfAnotherFormIsRefused(_ yaml: String, _ told: String) {
    #expect(refusal(of: yaml) == told)
  }

  /// The parser says where it does not go on; the daemon says in which file.
  @Test func whatIsNotYAMLIsRefused() throws {
    let told = try #require(refusal(of: "listen: ["))
    #expect(told.hasPrefix("firstlight.yaml is not YAML: "))
    #expect(told.contains("did not find expected node content"))
  }

  /// A misspelt key would otherwise leave its setting at the default without a word.
  @Test(arguments: [("colour: red\n", "colour"), ("5: a\n", "5"), ("[a]: b\n", "?"), ("Listen: a:1\n", "Listen")])
  func anUnknownKeyIsRefused(_ yaml: String, _ key: String) {
    #expect(
      refusal(of: yaml) == """
        firstlight.yaml has a key "\(key)", which means nothing; there are data-dir, deferred-start-limit, devices, \
        drain-timeout, enable-fault-injection, hardware-encoding, http-hosts, http-listen, http-origins, \
        library-quota, listen, local-socket, log-level, max-calls-per-second, max-connections, \
        max-connections-per-address, max-request-bytes, metrics-listen, network-library-permissions, \
        pressure-thresholds, prewarm, procfs-root, recordings-dir, sessions, synthetic, synthetic-microphones, \
        synthetic-usb-megabits, sysfs-root, video-storage-capacity, video-storage-dir.
        """)
  }

  /// The configuration library would ignore what lies deeper than it looks.
  @Test(arguments: ["{a: 1}", "[{a: 1}]", "[[127.0.0.1:0]]", "[127.0.0.1:0, {a: 1}]"])
  func aSettingThatLiesDeeperThanItIsLookedForIsRefused(_ value: String) {
    #expect(refusal(of: "listen: \(value)\n") == "listen in firstlight.yaml must be a plain value or a list of such.")
  }

  @Test func aFileThatDoesNotExistIsRefused() async throws {
    try await withFolder { folder in
      #expect(
        read(folder + "/none.yaml")
          == "There is no configuration file \(folder)/none.yaml; correct its name, or leave it out.")
      #expect(read(folder) == "\(folder) cannot be read; name a file with a configuration.")
    }
  }

  @Test func aFileThatIsNotTextIsRefused() async throws {
    try await withFile(Data([0xff, 0xfe, 0])) { path in
      #expect(read(path) == "\(path) is not text in UTF-8; name a file with a configuration.")
    }
  }

  @Test func theContentOfAFileIsRead() async throws {
    try await withFile(Data("synthetic: 2\n".utf8)) { path in
      let file = try ConfigurationFile(contentsOf: path)
      #expect(file.settings == "synthetic: 2\n")
    }
    try await withFile(Data("colour: red\n".utf8)) { path in
      #expect(read(path)?.hasPrefix("\(path) has a key \"colour\", which means nothing; ") == true)
    }
  }

  /// What the daemon tells of the file at `path`; nil when it takes the file.
  private func read(_ path: String) -> String? {
    refusal { _ = try ConfigurationFile(contentsOf: path) }
  }
}
