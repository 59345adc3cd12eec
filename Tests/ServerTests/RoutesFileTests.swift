import Foundation
import Gateway
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Files of routes")
struct RoutesFileTests {
    private let plan = "collections: { sales.orders: {} }\nroutes:\n  - { to: sales.orders, when: { channel: \"${CHANNEL}\" } }\n"

    @Test("Routes can be in a file beside the configuration, with variables")
    func routesFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(plan, to: "routes.yaml")
        let configuration = try shop("routesFile: routes.yaml", environment: ["CHANNEL": "c"], folder: folder.url)
        let database = try #require(configuration.databases.first?.configuration)
        #expect(database.collections.map(\.name.description) == ["sales.orders"])
        #expect(database.routes.map(\.condition) == [.channel("c")])
    }

    @Test("The collections of both files count, for an imported configuration with suggested routes")
    func collections() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("collections: { a.b: {}, a.c: { legacy: hidden } }\nroutes: []\n", to: "routes.yaml")
        let own = "collections: { _default._default: { sync: default }, a.b: { legacy: hidden }, a.c: {}, a.d: {} }"
        let database = try #require(
            try shop("routesFile: routes.yaml\n\(own)", folder: folder.url).databases.first?.configuration)
        #expect(database.collections.map(\.name.description).sorted() == ["_default._default", "a.b", "a.c", "a.d"])
        #expect(database.collections.filter { $0.isHidden == true }.map(\.name.description).sorted() == ["a.b", "a.c"])
        #expect(database.collections.first { $0.name == .default }?.syncFunction == "")
    }

    @Test(
        "Routes, and the description of a collection, may be in one file only",
        arguments: ["collections: { sales.orders: { legacy: hidden } }", "routes: []"])
    func both(_ line: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("collections: { sales.orders: { sync: default } }\nroutes: []\n", to: "routes.yaml")
        let error = try #require(try complaint { try shop("routesFile: routes.yaml\n\(line)", folder: folder.url) })
        #expect(error.code == .badValue)
        #expect(error.path == (line == "routes: []" ? "databases.shop.routesFile" : "databases.shop.collections.sales.orders"))
        #expect(error.message.contains("one place"))
    }

    @Test("A mistake in the file is reported with the file's name and line")
    func wrong() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("collections: {}\nrouts: []\n", to: "routes.yaml")
        let error = try #require(try complaint { try shop("routesFile: routes.yaml", folder: folder.url) })
        #expect(error.code == .unknownKey)
        #expect(error.line == 2)
        #expect(error.description.contains(path) && error.description.contains("routs"), "\(error)")
    }

    @Test("A file that does not exist is reported")
    func missing() throws {
        let error = try #require(try complaint { try shop("routesFile: nowhere.yaml") })
        #expect(error.code == .unreadable)
        #expect(error.message.contains("/etc/bridge/nowhere.yaml"))
        #expect(!error.message.contains("--config"))
    }

    @Test("`--routes` accepts a file of routes and a configuration with one database, but not with two")
    func readRoutes() throws {
        let folder = try TemporaryFolder()
        let environment = ["CHANNEL": "c"]
        let alone = try folder.write(plan, to: "routes.yaml")
        #expect(try ConfigurationFile.readRoutes(alone, environment: environment).routes.map(\.condition) == [.channel("c")])
        let whole = try folder.write("databases: { shop: { store: s, routesFile: routes.yaml } }", to: "one.yaml")
        #expect(try ConfigurationFile.readRoutes(whole, environment: environment).collections.count == 1)
        let two = try folder.write("databases: { a: { store: s }, b: { store: t } }", to: "two.yaml")
        let error = try #require(throws: ConfigurationError.self) { _ = try ConfigurationFile.readRoutes(two, environment: environment) }
        #expect(error.message.contains("2 databases"))
    }

    @Test("The sample shop's files load")
    func samples() async throws {
        let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("samples/shop")
        let configuration = try ConfigurationFile.read(samples.appendingPathComponent("dualgauge.yaml").path, environment: [:])
        try await ConfigurationScripts.validate(configuration)
        let database = try #require(configuration.databases.first?.configuration)
        #expect(database.name == "shop" && database.guest.isEnabled)
        let plan = try ConfigurationFile.readRoutes(samples.appendingPathComponent("routes.yaml").path, environment: [:])
        #expect(plan.collections.count == 3 && plan.routes.count == 3)
        #expect(plan.routes == database.routes)
    }
}
