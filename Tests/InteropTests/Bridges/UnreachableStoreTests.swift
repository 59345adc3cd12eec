import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Stores
import TestSupport
import Testing

@Suite("A store whose PostgreSQL server is away", .timeLimit(.minutes(3)))
struct UnreachableStoreTests {
    /// A way to the tests' server that can be closed: a folder with a link to the server's socket.
    private struct Way {
        let folder: TemporaryFolder
        let name = "t" + UUID().uuidString.prefix(8).lowercased()
        let socket: String

        init() throws {
            folder = try TemporaryFolder()
            let host = try #require(URLComponents(string: try TestPostgreSQL.url())?.queryItems?.first { $0.name == "host" }?.value)
            socket = host + "/.s.PGSQL.5432"
        }

        var location: StoreLocation {
            get throws {
                let host = try #require(folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                return try StoreLocation("postgres://dualgauge@/postgres?host=\(host)&application_name=\(name)&schema=\(name)")
            }
        }

        func open() throws {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/.s.PGSQL.5432", withDestinationPath: socket)
        }

        /// Closes the way, and ends the connections over it.
        func close() throws {
            try FileManager.default.removeItem(atPath: folder.path + "/.s.PGSQL.5432")
            try TestPostgreSQL.psql(
                try TestPostgreSQL.url(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
        }
    }

    @Test(
        "It answers 503 from the start until the server comes, and again while the server is away; other databases are served",
        .enabled(if: ProcessInfo.processInfo.environment["DUALGAUGE_POSTGRES"] == nil))
    func comesAndGoes() async throws {
        let way = try Way()
        var far = DatabaseConfiguration(name: "far")
        far.guest = GuestConfiguration(isEnabled: true, channels: ["*"])
        let served = ServerConfiguration.ServedDatabase(configuration: far, store: try way.location)
        try await RunningBridge.run(configuring: { $0.databases.append(served) }) { bridge in
            try await expectAway(bridge)
            try way.open()
            try await eventually { try await bridge.ask("PUT", "/far/a", "{}").status == 201 }
            try way.close()
            try await eventually { try await bridge.ask("GET", "/far/").status == 503 }
            try await expectAway(bridge)
            try way.open()
            try await eventually { try await bridge.ask("GET", "/far/a").status == 200 }
            try await eventually { try await state(bridge) == "Online" }
            #expect(try await bridge.ask("GET", "/_ping?ready=true").status == 200)
            let metrics = try await bridge.admin("GET", "/metrics").text
            #expect(metrics.contains(#"dualgauge_store_unreachable{database="far"} 0"#))
        }
    }

    private func state(_ bridge: RunningBridge) async throws -> String? {
        try await bridge.admin("GET", "/_status").json["databases"]?["far"]?["state"]?.string
    }

    private func expectAway(_ bridge: RunningBridge) async throws {
        // The first requests fail in the store, before the watch has noticed.
        try await eventually { try await bridge.ask("GET", "/_ping?ready=true").status == 503 }
        #expect(try await state(bridge) == "Unreachable")
        for path in ["/far/", "/far/_changes", "/far/a"] {
            let answer = try await bridge.ask("GET", path)
            #expect(answer.status == 503 && answer.head.lowercased().contains("retry-after"), "\(path): \(answer.status) \(answer.text)")
        }
        #expect(try await bridge.ask("GET", "/shop/").status == 200)
        #expect(try await bridge.ask("GET", "/_ping").status == 200)
        let metrics = try await bridge.admin("GET", "/metrics").text
        #expect(metrics.contains(#"dualgauge_store_unreachable{database="far"} 1"#))
    }
}
