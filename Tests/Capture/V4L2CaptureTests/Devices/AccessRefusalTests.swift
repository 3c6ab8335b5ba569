import CaptureCore
import Glibc
import Testing

@testable import V4L2Capture

/// What the operator is told to do when the daemon may not open a camera.
@Suite struct AccessRefusalTests {
  private func message(_ errno: Int32, _ group: AccessRefusal.Group?, user: String? = "ann") -> String {
    AccessRefusal(path: "/dev/video0", errno: Errno(errno), group: group, user: user).error(device: "cam").message
  }

  /// The message names the command that gives access to the camera. The command depends on the group of the node, on
  /// the user of the daemon and on the kind of refusal.
  @Test func theMessageNamesTheCommandThatGivesAccess() {
    #expect(
      message(EACCES, .named("video")) == """
        The daemon, which runs as ann, may not open cam (/dev/video0: EACCES). Run `sudo usermod -aG video ann`, then \
        log in again or restart the service; in a container, start it with `--group-add video`.
        """)
    #expect(message(EACCES, .numbered(44)).contains("`--group-add 44`"))
    #expect(!message(EACCES, .numbered(44)).contains("usermod"), "usermod takes groups by name")
    #expect(message(EACCES, .named("video"), user: nil).contains("`--group-add video`"))
    #expect(message(EACCES, nil).contains("`sudo setfacl -m u:ann:rw /dev/video0`"))
    #expect(message(EPERM, .named("video")).contains("`--device /dev/video0`"))
  }

  /// A program reads the node, the group, the user and the errno from the metadata instead of from the text.
  @Test func theMetadataHasTheValuesOfTheMessage() {
    let error = AccessRefusal(path: "/dev/video0", errno: Errno(EACCES), group: .named("video"), user: "ann")
      .error(device: "cam")
    #expect(error.reason == .deviceAccessDenied)
    #expect(
      error.metadata == [
        "device": "cam", "node": "/dev/video0", "call": "open", "errno": "EACCES", "group": "video", "user": "ann",
      ])
  }

  /// The message names the node's group only when its members may read and write the node, and never names the group of
  /// root.
  @Test func onlyAGroupThatGivesAccessIsNamed() {
    let files = TemporaryTree()
    files.write("dev/video0")
    let path = files.root + "/dev/video0"
    func group() -> AccessRefusal.Group? { AccessRefusal(of: path, Errno(EACCES)).group }
    // Only root may give a file to a group that the process does not belong to.
    let isRoot = geteuid() == 0
    if isRoot { chown(path, 0, 65533) }
    chmod(path, 0o600)
    #expect(group() == nil, "the group may not open the node either")
    chmod(path, 0o640)
    #expect(group() == nil, "the group may not write the node, so it could set no control")
    chmod(path, 0o660)
    guard isRoot else { return #expect((group() != nil) == (getegid() != 0)) }
    #expect(group() == .numbered(65533))
    chown(path, 0, 0)
    #expect(group() == nil, "the operator is not told to join the group root")
  }
}
