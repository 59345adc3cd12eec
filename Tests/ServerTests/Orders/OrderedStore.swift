import Access
import Documents
import Foundation
import Gateway
import Logging
import Scripting
import Storage
import TestSupport
import Testing

@testable import Server

/// A store under everything that operators and clients do to it, in an order that a seed draws.
///
/// Every configuration judges by the same function, or says none, so whatever is done, each user has to see the documents of his channels, and
/// no others.
final class OrderedStore {
    /// What a document is: by this model, not by the product.
    struct Model {
        var channels: Set<String>
        var type: String
    }

    let folder: TemporaryFolder
    var random: SeededGenerator
    var registry: DatabaseRegistry
    var name = "shop"
    var documents: [String: Model] = [:]
    var grants: [String: Set<String>] = ["anna": ["a"], "bert": ["b", "orders"], "cleo": ["*"], "dora": []]
    var readers: [FeedReader] = []

    /// What was done, for who looks for a fault.
    private(set) var log: [String] = []

    let isScripted: Bool
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let collections = ["sales.orders", "sales.customers", "catalog.products"]
    private static let function = "function (doc) { channel(doc.channels); }"

    init(seed: UInt64) async throws {
        folder = try TemporaryFolder()
        random = SeededGenerator(seed: seed)
        isScripted = Bool.random(using: &random)
        registry = try await DatabaseRegistry.open(Self.empty(folder), logger: logger)
        try await restart(described: Self.collections, hidden: [], routes: [])
        for (user, channels) in grants {
            try await put(user, channels)
        }
        for user in grants.keys.sorted() { readers.append(FeedReader(user: user)) }
    }

    var database: Database {
        get throws { try #require(registry[name]).database }
    }

    var path: String { folder.url.path + "/shop.dualgauge" }

    func note(_ text: String) { log.append(text) }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    func chance(_ one: Int, in all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < one }

    func close() async throws { try await registry.close() }

    // MARK: Configurations

    static func empty(_ folder: TemporaryFolder) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.databasesFolder = folder.url.path + "/databases"
        return configuration
    }

    func served(described: [String], hidden: [String], routes: [Route]) throws -> ServerConfiguration.ServedDatabase {
        var configuration = DatabaseConfiguration(name: name)
        configuration.guest = GuestConfiguration(isEnabled: true, channels: ["a"])
        if isScripted {
            // Said for the default collection alone, and only by some files: the store knows it then.
            if documents.isEmpty || chance(1, in: 2) {
                configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.function))
            }
        }
        for name in described {
            let says = isScripted && chance(1, in: 4)
            configuration.collections.append(
                CollectionConfiguration(
                    name: try #require(CollectionName(name)), syncFunction: says ? Self.function : nil, isHidden: hidden.contains(name)))
        }
        configuration.routes = routes
        return ServerConfiguration.ServedDatabase(configuration: configuration, store: path)
    }

    func routes() throws -> [Route] {
        let orders = try #require(CollectionName("sales.orders"))
        let customers = try #require(CollectionName("sales.customers"))
        let products = try #require(CollectionName("catalog.products"))
        let plans: [[Route]] = [
            [],
            [Route(to: orders, when: .property(name: "type", equals: .string("order")))],
            [
                Route(to: customers, when: .idPrefix("c::"), stripsPrefix: true),
                Route(to: orders, when: .property(name: "type", equals: .string("order"))),
            ],
            [Route(to: products, when: .idPrefix("p")), Route(to: orders, when: .channel("b"))],
            [Route(to: customers, when: .property(name: "type", equals: .string("order")))],
        ]
        return pick(plans)
    }

    func anyServed() throws -> ServerConfiguration.ServedDatabase {
        let routes = try routes()
        let needed = Set(routes.map(\.collection.description))
        let described = Self.collections.filter { needed.contains($0) || chance(1, in: 2) }
        let hidden = described.filter { _ in chance(1, in: 4) }
        note("serves \(described), hidden \(hidden), \(routes.count) routes")
        return try served(described: described, hidden: hidden, routes: routes)
    }

    func restart(described: [String], hidden: [String], routes: [Route]) async throws {
        try await restart(try served(described: described, hidden: hidden, routes: routes))
    }

    func restart(_ served: ServerConfiguration.ServedDatabase) async throws {
        try await registry.close()
        var configuration = Self.empty(folder)
        configuration.databases = [served]
        registry = try await DatabaseRegistry.open(configuration, logger: logger)
    }

    func reload(_ served: ServerConfiguration.ServedDatabase) async throws {
        let report = await registry.reload([served])
        #expect(report.failed.isEmpty, "\(report.failed)")
    }

    /// The store as a command opens it beside the bridge.
    func command<Value>(
        routes: [Route]? = nil, collections: [CollectionName] = [], _ work: (Database) async throws -> Value
    ) async throws -> Value {
        let store = try SQLiteStore(path: path)
        var configuration = try await DatabaseConfiguration.lastServed("command", from: store)
        if let routes { configuration.routes = routes }
        configuration.collections = collections.map { CollectionConfiguration(name: $0) }
        let database = try await Database(
            configuration: configuration, store: store, scripts: ScriptEngine(workers: 1), logger: logger, use: .added)
        let value = try await work(database)
        try await database.close()
        return value
    }

    func put(_ user: String, _ channels: Set<String>) async throws {
        var change = AccountChange()
        change.channels = channels
        grants[user] = channels
        try await #require(registry[name]).access.accounts.put(.user(user), change)
    }
}
