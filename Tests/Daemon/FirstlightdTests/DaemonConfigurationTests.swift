import CaptureCore
import Foundation
import Testing

@testable import firstlightd

/// Each setting of the daemon, from a flag, an environment variable and the configuration file.
@Suite struct DaemonConfigurationTests {
  /// A key that the file knows and that no test knows would be read by nobody.
  @Test func everyKeyOfTheFileIsTested() {
    #expect(Set(Setting.all.map(\.key)).union(["devices", "sessions"]) == ConfigurationFile.keys)
    #expect(Setting.all.count + 2 == ConfigurationFile.keys.count)
  }

  @Test(arguments: Setting.all) func theFileSetsIt(_ setting: Setting) async throws {
    try await check(setting, settings(file: setting.file))
  }

  @Test(arguments: Setting.all) func aVariableSetsIt(_ setting: Setting) async throws {
    try await check(setting, settings(variables: setting.variables))
  }

  /// All flags are given at once. No two settings of one type have the same value, so that each flag is told from the
  /// others.
  @Test func everyFlagSetsItsKey() async throws {
    let configuration = try await settings(Setting.all.flatMap(\.flags))
    for setting in Setting.all {
      let expected = setting.flags.isEmpty ? setting.read(DaemonConfiguration()) : setting.expected
      #expect(setting.read(configuration) == expected, "\(setting.key)")
    }
  }

  /// The configuration has the value of the setting, and the defaults of all others.
  private func check(_ setting: Setting, _ configuration: DaemonConfiguration) {
    #expect(setting.read(DaemonConfiguration()) != setting.expected, "the test sets the default")
    for other in Setting.all {
      let expected = other.key == setting.key ? setting.expected : other.read(DaemonConfiguration())
      #expect(other.read(configuration) == expected, "\(other.key)")
    }
  }

  @Test func aFlagWinsOverAVariableAndAVariableOverTheFile() async throws {
    let (file, variables) = ("synthetic: 1\n", ["FIRSTLIGHT_SYNTHETIC": "2"])
    #expect(try await settings(file: file).synthetic.cameras == 1)
    #expect(try await settings(variables: variables, file: file).synthetic.cameras == 2)
    #expect(try await settings(["--synthetic", "3"], variables: variables, file: file).synthetic.cameras == 3)
  }

  @Test func theFlagThatTurnsPrewarmingOnWinsOverTheFile() async throws {
    #expect(try await settings(["--prewarm"], file: "prewarm: false\n").prewarm)
    #expect(try await settings(file: "prewarm: false\n").prewarm == false)
  }

  /// A flag or a variable names the file. The flag wins.
  @Test func theFileIsFoundByAFlagOrAVariable() async throws {
    try await withFolder { folder in
      let (first, second) = (folder + "/first.yaml", folder + "/below/../second.yaml")
      try FileManager.default.createDirectory(atPath: folder + "/below", withIntermediateDirectories: false)
      try Data("synthetic: 1\n".utf8).write(to: URL(filePath: first))
      try Data("synthetic: 2\ndevices: {a: {id: door}}\nsessions: {}\n".utf8).write(to: URL(filePath: second))
      let variables = ["FIRSTLIGHT_CONFIG": first]
      let byVariable = try await settings(variables: variables)
      #expect(byVariable.synthetic.cameras == 1)
      #expect(byVariable.declared.file == first)
      let byFlag = try await settings(["--config", second], variables: variables)
      #expect(byFlag.synthetic.cameras == 2)
      #expect(byFlag.declared.file == folder + "/second.yaml", "clients are told a plain path")
      #expect(byFlag.declared.devices.directory.entries.map(\.id) == ["door"])
      #expect(byFlag.declared.sessions?.isEmpty == true)
    }
  }

  @Test func withoutAnySettingThereIsNoFile() async throws {
    let configuration = try await settings()
    #expect(configuration.declared.file == nil)
    #expect(configuration.declared.sessions == nil)
    #expect(configuration.declared.devices.directory.entries.isEmpty)
    for setting in Setting.all {
      #expect(setting.read(configuration) == setting.read(DaemonConfiguration()), "\(setting.key)")
    }
  }

  /// The daemon does not run when it cannot listen where its operator said. Where nobody said anything, it goes on
  /// without HTTP.
  @Test func anAddressOfHTTPThatTheOperatorChoseIsRequired() async throws {
    #expect(try await settings().addresses.isHTTPRequired == false)
    let address = "127.0.0.1:8080"
    #expect(try await settings(["--http-listen", address]).addresses.isHTTPRequired)
    #expect(try await settings(variables: ["FIRSTLIGHT_HTTP_LISTEN": address]).addresses.isHTTPRequired)
    #expect(try await settings(file: "http-listen: \(address)\n").addresses.isHTTPRequired)
  }

  @Test func thereNeedBeNoHTTP() async throws {
    #expect(try await settings(["--http-listen", "none"]).addresses.http == nil)
  }
}
