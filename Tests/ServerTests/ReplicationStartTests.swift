import Coordination
import Documents
import Foundation
import HTTP
import Logging
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import ReplicationService
@testable import Server

@Suite("Starts of replications")
struct ReplicationStartTests {
    /// A server that accepts connections and never replies.
    private final class SilentServer {
        let port: Int
        private let descriptor: Int32

        init() throws {
            let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listens = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(opened, $0, length) == 0 && listen(opened, 16) == 0 && getsockname(opened, $0, &length) == 0
                }
            }
            descriptor = opened
            port = Int(in_port_t(bigEndian: address.sin_port))
            try #require(listens)
        }

        deinit { close(descriptor) }
    }

    private func registry(_ remote: String, in folder: TemporaryFolder) async throws -> DatabaseRegistry {
        var configuration = try shop(
            "replications:\n  pull: { remote: \"\(remote)\", direction: pull, continuous: true }", folder: folder.url)
        configuration.databasesFolder = "\(folder.url.path)/databases"
        return try await DatabaseRegistry.open(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("A start lasts until the first attempt has a result, of either protocol", arguments: ["http", "ws"])
    func lasting(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let server = try SilentServer()
        let registry = try await registry("\(scheme)://127.0.0.1:\(server.port)/shop", in: folder)
        let run = try await #require(registry["shop"]).replications.run("pull")
        await eventually { await !run.isStopped }
        #expect(!run.firstResult.isResolved)
        try await registry.close()
        #expect(run.firstResult.isResolved)
    }

    @Test("Replications of the configuration run again when a new configuration cannot be served")
    func reopened() async throws {
        let folder = try TemporaryFolder()
        let registry = try await registry("http://127.0.0.1:1/shop", in: folder)
        let running = try #require(registry["shop"])
        let before = try await running.replications.run("pull")
        await running.replications.close()
        #expect(await before.isStopped)
        try await running.openReplications()
        let after = try await running.replications.run("pull")
        // The first attempt fails, and the replication waits for the next one.
        await after.firstResult.value()
        #expect(await !after.isStopped)
        try await registry.close()
    }

    @Test("Replications cannot be changed while they are closed, and stored ones return")
    func changedWhileClosed() async throws {
        let folder = try TemporaryFolder()
        let registry = try await registry("http://127.0.0.1:1/shop", in: folder)
        let running = try #require(registry["shop"])
        let json = try JSONValue(
            Array(#"{"remote":"http://127.0.0.1:1/old","direction":"pull","continuous":true,"initial_state":"stopped"}"#.utf8))
        #expect(try await running.replications.put(json, id: "kept"))
        await running.replications.close()
        await #expect(throws: AdminError.self) { _ = try await running.replications.put(json, id: "late") }
        await #expect(throws: AdminError.self) { try await running.replications.remove("kept") }
        await #expect(throws: AdminError.self) { try await running.replications.start("kept") }
        try await running.openReplications()
        #expect(await running.replications.descriptions.map(\.id) == ["kept", "pull"])
        try await registry.close()
    }
}
