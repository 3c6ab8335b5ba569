import CaptureSessions
import Testing

@testable import firstlightd

/// When a session of the configuration file starts: the keys `start` and `idle-timeout` of its entry.
@Suite struct DeclaredSessionStartTests {
  @Test(arguments: [
    ("preview: {}", DeclaredSessionStart.atBoot),
    ("preview: {}\nstart: at-boot", .atBoot),
    ("preview: {}\nstart: on-demand", .onDemand(idleTimeout: 30)),
    ("start: on-demand\nidle-timeout: 1\npreview: {}", .onDemand(idleTimeout: 1)),
    ("idle-timeout: 0.5\nstart: on-demand\npreview: {}", .onDemand(idleTimeout: 0.5)),
    ("preview: {}\nstart: on-demand\nidle-timeout: 0", .onDemand(idleTimeout: 0)),
    ("preview: {}\nstart: on-demand\nidle-timeout: 86400", .onDemand(idleTimeout: 86400)),
  ])
  func anEntrySaysWhenItsSessionStarts(_ entry: String, _ start: DeclaredSessionStart) throws {
    let session = try #require(try Door.session(entry))
    #expect(session.start == start)
    #expect(session.configuration.preview != nil, "the rest of the entry is the configuration")
  }

  /// The registry of sessions stops those that start on demand, and only those.
  @Test func onlyASessionOnDemandStops() {
    #expect(DeclaredSessionStart.atBoot.idleTimeout == nil)
    #expect(DeclaredSessionStart.onDemand(idleTimeout: 1.5).idleTimeout == .milliseconds(1500))
  }

  @Test(arguments: [
    ("start: later", "start of the configuration file is \"later\"; it must be at-boot or on-demand."),
    ("start: {}", "start of the configuration file is no plain value; it must be at-boot or on-demand."),
    ("start:", "start of the configuration file is \"\"; it must be at-boot or on-demand."),
    (
      "start: at-boot\nidle-timeout: 1",
      "idle-timeout of the configuration file means nothing without `start: on-demand`; add that, or leave it out."
    ),
    (
      "idle-timeout: 1",
      "idle-timeout of the configuration file means nothing without `start: on-demand`; add that, or leave it out."
    ),
  ])
  func aStartThatMakesNoSenseIsNamed(_ keys: String, _ told: String) {
    #expect(refusal(of: Door.file("preview: {}\n\(keys)")) == "sessions.door.\(told)")
  }

  @Test(arguments: [
    ("-1", "\"-1\""), ("90000", "\"90000\""), ("long", "\"long\""), ("{}", "no plain value"), ("", "\"\""),
    (".nan", "\".nan\""),
  ])
  func aTimeoutIsANumberOfSecondsOfADayAtMost(_ timeout: String, _ told: String) {
    #expect(
      refusal(of: Door.file("preview: {}\nstart: on-demand\nidle-timeout: \(timeout)"))
        == """
        sessions.door.idle-timeout of the configuration file is \(told); it must be a number of seconds from 0 to 86400.
        """)
  }
}
