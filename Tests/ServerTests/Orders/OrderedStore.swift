import Documents
import Foundation
import Gateway
import Logging
import SQLiteStorage
import Scripting
import Storage
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

/// A store under all operations of operators and clients, in an order that a seed draws.
///
/// Every configuration has the same functions, or none, so the model has the documents that each user has to see after any operation.
final class OrderedStore {
    let folder: TemporaryFolder
    var random: SeededGenerator
    var registry: DatabaseRegistry
    var name = "shop"
    var documents: [String: OrderedDocument] = [:]
    var grants = AccessModel.ordered
    var readers: [FeedReader] = []

    /// Revisions of documents that were purged.
    var purged: Set<String> = []

    /// The operations so far, for the analysis of a failure.
    private(set) var log: [String] = []

    let rules: OrderedRules

    /// Whether collections send notices of documents that are moved out; `nil` where the configurations differ over time.
    let departures: DeparturePolicy?
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let collections = ["sales.orders", "sales.customers", "catalog.products"]

    init(seed: UInt64) async throws {
        folder = try TemporaryFolder()
        random = SeededGenerator(seed: seed)
        rules = Self.anyRules(&random)
        departures = [.silent, .notify, nil].randomElement(using: &random) ?? nil
        registry = try await DatabaseRegistry.open(Self.empty(folder), logger: logger)
        try await restart(described: Self.collections, hidden: [], routes: [])
        for grantee in grants.general.keys.sorted() { try await put(grantee) }
        for user in AccessModel.orderedUsers { readers += [FeedReader(user: user), FeedReader(user: user, isModern: true)] }
        note("\(rules), departures \(departures.map(\.rawValue) ?? "by turns")")
    }

    private static func anyRules(_ random: inout SeededGenerator) -> OrderedRules {
        let isScripted = Bool.random(using: &random)
        var functions: [String: OrderedFunction] = [:]
        if isScripted, Bool.random(using: &random) {
            for name in collections {
                let function: OrderedFunction? = [nil, .standard, .adding("p"), .dropping("a")].randomElement(using: &random) ?? nil
                functions[name] = function
            }
        }
        return OrderedRules(isScripted: isScripted, givesAccess: isScripted && Bool.random(using: &random), functions: functions)
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
        configuration.defaultCollection = .auto
        configuration.departures = departures ?? pick([.silent, .notify])
        // A setting of one configuration is stored from then on.
        if rules.isScripted, documents.isEmpty || chance(1, in: 2) {
            let source = OrderedFunction.standard.source(givesAccess: rules.givesAccess)
            configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: source))
        }
        for name in described {
            let source = documents.isEmpty || chance(1, in: 2) ? rules.functions[name]?.source(givesAccess: rules.givesAccess) : nil
            configuration.collections.append(
                CollectionConfiguration(
                    name: try #require(CollectionName(name)), syncFunction: source, isHidden: hidden.contains(name)))
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
}
