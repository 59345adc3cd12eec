import Foundation
import Gateway
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Routes in a configuration")
struct RouteTests {
    private let collections = "collections: { sales.orders: {}, sales.customers: {} }"

    private func route(_ text: String) throws -> ServerConfiguration {
        try shop("\(collections)\nroutes:\n  - \(text)")
    }

    @Test(
        "Conditions of every kind are read",
        arguments: [
            ("{ property: type, equals: order }", RouteCondition.property(name: "type", equals: .string("order"))),
            ("{ property: version, equals: 2 }", .property(name: "version", equals: .number(2))),
            ("{ property: version, equals: -2.5e3 }", .property(name: "version", equals: .number(-2500))),
            ("{ property: version, equals: \"2\" }", .property(name: "version", equals: .string("2"))),
            ("{ property: isOrder, equals: true }", .property(name: "isOrder", equals: .bool(true))),
            ("{ property: isOrder, equals: 'true' }", .property(name: "isOrder", equals: .string("true"))),
            ("{ property: type, equals: nan }", .property(name: "type", equals: .string("nan"))),
            ("{ property: type, equals: inf }", .property(name: "type", equals: .string("inf"))),
            ("{ property: type, equals: 0x10 }", .property(name: "type", equals: .string("0x10"))),
            ("{ property: type, equals: \"\" }", .property(name: "type", equals: .string(""))),
            ("{ idPrefix: \"order::\" }", .idPrefix("order::")),
            ("{ idPattern: \"^o[0-9]+$\" }", .idPattern("^o[0-9]+$")),
            ("{ channel: orders }", .channel("orders")),
            ("{ javascript: \"function (doc) { return true }\" }", .javaScript("function (doc) { return true }")),
        ])
    func conditions(_ text: String, _ condition: RouteCondition) throws {
        let route = try #require(try route("{ to: sales.orders, when: \(text) }").databases.first?.configuration.routes.first)
        #expect(route == Route(to: CollectionName(scope: "sales", name: "orders"), when: condition, stripsPrefix: false))
    }

    @Test("Routes keep their order, and a prefix is stripped on request")
    func order() throws {
        let configuration = try shop(
            """
            \(collections)
            routes:
              - { to: sales.customers, when: { idPrefix: "customer::" }, stripPrefix: true }
              - { to: sales.orders, when: { channel: a }, stripPrefix: false }
              - { to: _default._default, when: { channel: b } }
            """)
        let routes = try #require(configuration.databases.first?.configuration.routes)
        #expect(routes.map(\.collection.description) == ["sales.customers", "sales.orders", "_default._default"])
        #expect(routes.map(\.stripsPrefix) == [true, false, false])
    }

    @Test(
        "Empty, contradictory and incomplete conditions are refused",
        arguments: [
            ("{ to: sales.orders, when: {} }", "routes[1].when", "a condition has one of"),
            ("{ to: sales.orders, when: { equals: a } }", "routes[1].when", "a condition has one of"),
            ("{ to: sales.orders, when: { channel: a, idPrefix: b } }", "routes[1].when", "a condition has one of"),
            ("{ to: sales.orders, when: { idPrefix: b, equals: c } }", "routes[1].when", "`equals` goes with `property`"),
            ("{ to: sales.orders, when: { property: \"\", equals: c } }", "routes[1].when.property", "`property` is empty"),
            ("{ to: sales.orders, when: { idPrefix: \"\" } }", "routes[1].when.idPrefix", "`idPrefix` is empty"),
            ("{ to: sales.orders, when: { idPattern: \"\" } }", "routes[1].when.idPattern", "`idPattern` is empty"),
            ("{ to: sales.orders, when: { channel: \"\" } }", "routes[1].when.channel", "`channel` is empty"),
            ("{ to: sales.orders, when: { javascript: \"\" } }", "routes[1].when.javascript", "`javascript` is empty"),
            ("{ to: sales.orders, when: { channel: [a] } }", "routes[1].when.channel", "expected a text"),
            ("{ to: a.b.c, when: { channel: a } }", "routes[1].to", "is not a collection"),
            ("{ to: sales.orders, when: { channel: a }, stripPrefix: perhaps }", "routes[1].stripPrefix", "expected true or false"),
        ])
    func badConditions(_ text: String, _ path: String, _ message: String) throws {
        let error = try #require(try complaint { try route(text) })
        #expect(error.code == .badValue)
        #expect(error.path == "databases.shop.\(path)")
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.line == 6)
    }

    @Test(
        "A route without a mandatory key is refused",
        arguments: [
            ("{ when: { channel: a } }", "routes[1]", "`to`"), ("{ to: sales.orders }", "routes[1]", "`when`"),
            ("{ to: sales.orders, when: { property: type } }", "routes[1].when", "`equals`"),
        ])
    func missing(_ text: String, _ path: String, _ message: String) throws {
        let error = try #require(try complaint { try route(text) })
        #expect(error.code == .missingKey)
        #expect(error.path == "databases.shop.\(path)")
        #expect(error.message.contains(message))
    }

    @Test(
        "A valid route that cannot be used is reported by its index",
        arguments: [
            ("{ to: sales.gone, when: { channel: a } }", "no collection `sales.gone`"),
            ("{ to: sales.orders, when: { idPattern: \"(\" } }", "not a regular expression"),
            ("{ to: sales.orders, when: { channel: a }, stripPrefix: true }", "`stripPrefix` needs"),
        ])
    func unusable(_ text: String, _ message: String) throws {
        let error = try #require(try complaint { try route(text) })
        #expect(error.code == .badValue)
        #expect(error.path == "databases.shop.routes[1]")
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.line != nil)
    }

    @Test("The default collection cannot be hidden", arguments: ["_default._default", "_default"])
    func hiddenDefault(_ name: String) throws {
        let error = try #require(try complaint { try shop("collections: { \(name): { legacy: hidden } }") })
        #expect(error.code == .badValue)
        #expect(error.path == "databases.shop.collections.\(name).legacy")
        #expect(error.message.contains("cannot be hidden"))
    }

    @Test("Two stripped prefixes into one collection are refused, because two documents could get one ID")
    func twoPrefixes() throws {
        let error = try #require(
            try complaint {
                try shop(
                    """
                    \(collections)
                    routes:
                      - { to: sales.orders, when: { idPrefix: "a::" }, stripPrefix: true }
                      - { to: sales.orders, when: { idPrefix: "b::" }, stripPrefix: true }
                    """)
            })
        #expect(error.code == .badValue)
        #expect(error.path.hasPrefix("databases.shop"))
        #expect(error.message.contains("\"a::\" and \"b::\" into sales.orders"))
    }

    @Test("JavaScript that does not compile is reported with its place")
    func scripts() async throws {
        let good = try shop("\(collections)\nroutes:\n  - { to: sales.orders, when: { javascript: \"function (doc) { return true }\" } }")
        try await ConfigurationScripts.validate(good)
        let predicate = try shop("\(collections)\nroutes:\n  - { to: sales.orders, when: { javascript: \"function (\" } }")
        let error = try await #require(throws: ConfigurationError.self) { try await ConfigurationScripts.validate(predicate) }
        #expect(error.path == "databases.shop.routes[1].when.javascript")
        #expect(error.message.contains("does not compile"))
        let sync = try shop("collections: { sales.orders: { sync: \"function (doc) { channel(\" } }")
        let other = try await #require(throws: ConfigurationError.self) { try await ConfigurationScripts.validate(sync) }
        #expect(other.path == "databases.shop.collections.sales.orders.sync")
    }
}
