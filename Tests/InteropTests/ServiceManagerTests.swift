import Foundation
import TestSupport
import Testing

/// `sd_notify(3)`, as systemd expects it with `Type=notify` and `WatchdogSec`.
@Suite("The service manager")
struct ServiceManagerTests {
    private func config(_ folder: TemporaryFolder) throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop: { store: shop.dualgauge }\n",
            to: "dualgauge.yaml")
    }

    @Test(
        "The manager is notified of readiness, of each watchdog interval and of the stop, with a supervisor and without",
        arguments: [false, true])
    func states(isAlone: Bool) async throws {
        let folder = try TemporaryFolder()
        let manager = try ManagerSocket(in: folder)
        let environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "30000000"]
        let config = try config(folder)
        let program =
            isAlone
            ? try await Program(serving: config, "--no-supervisor", environment: environment)
            : try await Program(serving: config, environment: environment)
        var received: [String] = []
        await eventually {
            received += manager.notifications()
            return received.contains("READY=1") && received.contains("WATCHDOG=1")
        }
        #expect(!received.contains("STOPPING=1"), "\(received)")
        program.signal(SIGTERM)
        #expect(await program.end() == 0)
        #expect(manager.notifications().contains("STOPPING=1"))
    }

    @Test("A killed process is replaced by a serving one, without an action of the manager")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let manager = try ManagerSocket(in: folder)
        let program = try await Program(serving: try config(folder), environment: ["NOTIFY_SOCKET": manager.path])
        var received: [String] = []
        await eventually {
            received += manager.notifications()
            return received.contains("READY=1")
        }
        kill(try #require(program.served), SIGKILL)
        received = []
        await eventually {
            received += manager.notifications()
            return received.contains("READY=1")
        }
        #expect(received.contains("WATCHDOG=1") && !received.contains("STOPPING=1"), "\(received)")
        await program.kill()
    }
}
