import Foundation
import TestSupport
import Testing

/// `sd_notify(3)`, as systemd asks for it with `Type=notify` and `WatchdogSec`.
@Suite("The service manager")
struct ServiceManagerTests {
    private func config(_ folder: TemporaryFolder) throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop: { store: shop.dualgauge }\n",
            to: "dualgauge.yaml")
    }

    @Test("Is told that the bridge serves, lives and stops, with a supervisor and without", arguments: [false, true])
    func states(isAlone: Bool) async throws {
        let folder = try TemporaryFolder()
        let manager = try ManagerSocket(in: folder)
        let environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "30000000"]
        let config = try config(folder)
        let program =
            isAlone
            ? try await Program(serving: config, "--no-supervisor", environment: environment)
            : try await Program(serving: config, environment: environment)
        var told: [String] = []
        await eventually {
            told += manager.told()
            return told.contains("READY=1") && told.contains("WATCHDOG=1")
        }
        #expect(!told.contains("STOPPING=1"), "\(told)")
        program.signal(SIGTERM)
        #expect(await program.end() == 0)
        #expect(manager.told().contains("STOPPING=1"))
    }

    @Test("A process that is killed is followed by one that serves, and the manager has no reason to step in")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let manager = try ManagerSocket(in: folder)
        let program = try await Program(serving: try config(folder), environment: ["NOTIFY_SOCKET": manager.path])
        var told: [String] = []
        await eventually {
            told += manager.told()
            return told.contains("READY=1")
        }
        kill(try #require(program.served), SIGKILL)
        told = []
        await eventually {
            told += manager.told()
            return told.contains("READY=1")
        }
        #expect(told.contains("WATCHDOG=1") && !told.contains("STOPPING=1"), "\(told)")
        await program.kill()
    }
}
