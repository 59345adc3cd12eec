import Foundation
import Gateway
import Storage
import Stores
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Collections that the configuration does not name")
struct UndescribedCollectionTests {
    @Test("A second read of an unchanged configuration names collections that a command has added")
    func readAgain() async throws {
        let folder = try TemporaryFolder()
        let log = TestLog()
        let served = ServerConfiguration.ServedDatabase(
            configuration: DatabaseConfiguration(name: "shop"), store: folder.url.path + "/shop.dualgauge")
        var configuration = OrderedStore.empty(folder)
        configuration.databases = [served]
        let registry = try await DatabaseRegistry.open(configuration, logger: log.logger)
        let store = try await served.store.open()
        try await store.write {
            _ = try $0.putCollection(scope: "sales", name: "orders", isHidden: false, syncFunction: nil)
        }
        try await store.close()
        #expect(!log.lines.contains { $0.contains("sales.orders") })
        #expect(await registry.reload([served]) == ReloadReport())
        #expect(log.lines.contains { $0.contains("does not name the collection sales.orders") })
        try await registry.close()
    }
}
