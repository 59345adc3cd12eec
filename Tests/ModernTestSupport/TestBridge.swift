package import Access
package import BLIP
import Documents
import Foundation
package import Gateway
package import LocalStore
import Logging
package import ModernProtocol
package import ModernServer
import Scripting
import Storage
import TestSupport
import Testing

/// A database with a listener.
package struct TestBridge: Sendable {
    package let database: Database
    package let store: FaultyStore
    package var limits = SessionLimits()

    /// The delta counts of the listener.
    package let deltas = DeltaCounter()

    private let folder: TemporaryFolder

    package init(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) async throws {
        var configuration = DatabaseConfiguration(name: "db")
        configuration.collections = ["sales.orders", "sales.customers"].compactMap { CollectionName($0) }.map {
            CollectionConfiguration(name: $0)
        }
        change(&configuration)
        folder = try TemporaryFolder()
        store = FaultyStore(try await TestStores.open(folder.path + "/db.dualgauge"))
        database = try await Database(
            configuration: configuration, store: store, scripts: ScriptEngine(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The database as an app has it.
    package var app: LocalDatabase { LocalDatabase(database, path: folder.path) }

    package var listener: ModernListener {
        ModernListener(limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Connects a client, runs some work with it, and disconnects it.
    @discardableResult
    package func connect<Value: Sendable>(
        _ subprotocol: Subprotocol = .v3, as principal: Principal = .administrator, _ work: @Sendable (TestPeer) async throws -> Value
    ) async throws -> Value {
        let (ours, theirs) = await SocketEnd.pair()
        let peer = TestPeer(theirs)
        let listener = listener, database = database, deltas = deltas
        async let session: Void = listener.serve(
            ours, database: database, principal: principal, subprotocol: subprotocol, deltas: deltas)
        async let reading: Void = peer.run()
        let result: Result<Value, any Error>
        do { result = .success(try await work(peer)) } catch { result = .failure(error) }
        await theirs.close(code: 1000, reason: "")
        _ = await (session, reading)
        return try result.get()
    }
}

/// Requests in LiteCore's form.
package enum Requests {
    package static func rev(
        _ id: String, _ revision: String, _ body: String, history: String? = nil, deleted: Bool = false, collection: Int? = nil
    ) -> BLIPMessage {
        var properties: BLIPProperties = [:]
        if let collection { properties.add("collection", String(collection)) }
        properties.add("id", id)
        properties.add("rev", revision)
        properties.add("sequence", "1")
        properties.add("noconflicts", "1")
        if deleted { properties.add("deleted", "1") }
        if let history { properties.add("history", history) }
        return .request("rev", properties: properties, body: Array(body.utf8), isCompressed: true)
    }

    /// A body with one blob and its entry in `_attachments`.
    package static func blob(_ bytes: [UInt8], name: String = "photo", type: String = "image/png", length: Int? = nil) -> String {
        let digest = AttachmentDigest.sha1(of: bytes)
        let blob = "\"digest\":\"\(digest)\",\"length\":\(length ?? bytes.count),\"content_type\":\"\(type)\""
        return "{\"\(name)\":{\"@type\":\"blob\",\(blob)},\"_attachments\":{\"blob_/\(name)\":{\(blob),\"stub\":true,\"revpos\":1}}}"
    }

    /// A revision ID that LiteCore can read.
    package static func revision(_ generation: Int, _ seed: Int) -> String {
        let hex = String(seed, radix: 16)
        return "\(generation)-" + String(repeating: "0", count: 40 - hex.count) + hex
    }
}
