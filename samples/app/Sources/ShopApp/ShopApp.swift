import Foundation
import LegacyClient
import LocalStore
import ModernClient

/// An order, as the app's own code has it.
struct Order: Codable {
    var type = "order"
    var customer: String
    var total: Double
    var isPaid = false
}

/// An app of the sample shop: it keeps orders in a database of its own, and replicates them with a bridge.
@main
struct ShopApp {
    /// The bridge's host, port and database: `127.0.0.1:4984/shop`.
    let address: String

    /// Whether the app is of Couchbase Lite 1.x's generation: one flat set of documents, over HTTP.
    let isLegacy: Bool
    let orders: LocalCollection

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let address = arguments.last, arguments.dropLast().allSatisfy({ $0 == "--legacy" }) else {
            print("usage: ShopApp [--legacy] HOST:PORT/DATABASE")
            exit(64)
        }
        let isLegacy = arguments.contains("--legacy")
        try await run(address, isLegacy: isLegacy, folder: isLegacy ? "legacy-app.dualgauge" : "shop-app.dualgauge") { print($0) }
    }

    /// - Parameter show: Receives each line of output.
    static func run(_ address: String, isLegacy: Bool, folder: String, show: @escaping @Sendable (String) -> Void) async throws {
        let database = try await LocalDatabase(path: folder, collections: ["sales.orders"])
        let orders = isLegacy ? database.unified : try database.collection("sales.orders")
        let app = ShopApp(address: address, isLegacy: isLegacy, orders: orders)

        // Saved documents come back with their revision. Changed copies of them can be saved further on.
        let id = "order-\(UUID().uuidString)"
        var order = try await orders.save(id, json: JSONEncoder().encode(Order(customer: "Anna", total: 12.5)))
        show("saved \(order.id), revision \(order.revision?.generation ?? 0)")
        try await app.replicate(until: nil, show)
        show("replicated once")

        let changes = try await orders.changes()
        let observation = Task {
            for try await batch in changes { for change in batch { show("changed: \(change.id), \(change.revision)") } }
        }
        order["isPaid"] = true
        order = try await orders.save(order)
        try await app.replicate(until: id, show)
        show("replicated continuously until the server had \(id)")
        observation.cancel()

        for document in try await orders.documents(limit: 10) {
            guard let order = try? JSONDecoder().decode(Order.self, from: Data(document.json)) else { continue }
            show("\(document.id): \(order.customer), \(order.total)\(order.isPaid ? ", paid" : "")")
        }
        try await database.close()
    }

    /// Replicates once; or continuously until the server has all changes of a document.
    private func replicate(until id: String?, _ show: @escaping @Sendable (String) -> Void) async throws {
        if isLegacy { try await replicateAsLegacyClient(until: id, show) } else { try await replicateAsModernClient(until: id, show) }
    }

    /// 2.x+: both directions over one WebSocket, with collections. Conflicts are resolved where they arrive.
    private func replicateAsModernClient(until id: String?, _ show: @escaping @Sendable (String) -> Void) async throws {
        var collection = ReplicatorConfiguration.CollectionConfiguration()
        collection.conflictResolver = ConflictResolver { conflict in
            guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return .deleted }
            return .merged(remote.properties.merging(local.properties))
        }
        var configuration = ReplicatorConfiguration(target: URLEndpoint(url: "ws://\(address)"))
        configuration.addCollection(orders, config: collection)
        configuration.continuous = id != nil
        // configuration.authenticator = BasicAuthenticator(username: "anna", password: "…")
        let replicator = try Replicator(configuration: configuration)
        // The first event is the status before the start.
        let events = await replicator.events().dropFirst()
        await replicator.start()
        for await event in events {
            switch event {
            case .documents(let replication):
                for document in replication.documents {
                    if let error = document.error { show("2.x+: \(document.id): \(error.text)") }
                    if replication.isPush, document.id == id { await replicator.stop() }
                }
            case .status(let status):
                show("2.x+: \(status.activity), \(status.progress.completed) of \(status.progress.total) changes")
                guard status.activity == .stopped else { continue }
                if let error = status.error { throw error }
                return
            }
        }
    }

    /// 1.x: a push and a pull over HTTP. A conflict stays until a device resolves it (`conflictingRevisions`).
    private func replicateAsLegacyClient(until id: String?, _ show: @escaping @Sendable (String) -> Void) async throws {
        let push = try orders.createPushReplication("http://\(address)")
        let pull = try orders.createPullReplication("http://\(address)")
        let updates = push.notices()
        for replication in [push, pull] {
            replication.continuous = id != nil
            // replication.authenticator = .basicAuthenticator(name: "anna", password: "…")
            replication.start()
        }
        var isDone = false
        for await update in updates {
            switch update {
            case .documents(let transfers):
                for transfer in transfers {
                    if let error = transfer.error { show("1.x: \(transfer.id): \(error.text)") }
                    if transfer.id == id { isDone = true }
                }
            case .change(let change):
                show("1.x push: \(change.status), \(change.completedChangesCount) of \(change.changesCount) changes")
                if change.status == .stopped { isDone = true }
            }
            if isDone { break }
        }
        for replication in [push, pull] {
            if id != nil { replication.stop() }
            let change = await replication.waitUntilStopped()
            show("1.x \(replication.direction): \(change.status)")
            if let failure = change.failure { throw failure }
        }
    }
}
