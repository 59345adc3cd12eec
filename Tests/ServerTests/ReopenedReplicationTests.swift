import Foundation
import HTTP
import Logging
import Testing

@testable import Server

@Suite("Replications of a database whose new configuration could not be served")
struct ReopenedReplicationTests {
    @Test("Those of the configuration run again")
    func reopened() async throws {
        let folder = try TemporaryFolder()
        var configuration = try shop(
            "replications:\n  pull: { remote: \"http://127.0.0.1:1/shop\", direction: pull, continuous: true }", folder: folder.url)
        configuration.databasesFolder = "\(folder.url.path)/databases"
        let registry = try await DatabaseRegistry.open(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = try #require(registry["shop"])
        let before = try await running.replications.run("pull")
        await running.replications.close()
        #expect(await before.isStopped)
        try await running.openReplications()
        let after = try await running.replications.run("pull")
        // Its first attempt fails, and it waits for the next one.
        try await after.settled.value()
        #expect(await !after.isStopped)
        try await registry.close()
    }
}
