import Storage
import Testing

@testable import Gateway

@Suite("Invalid route tables")
struct RouteTableTests {
    private func refusal(_ configure: (inout DatabaseConfiguration) throws -> Void) async throws -> GatewayError {
        try await failure { _ = try await Fixture { try configure(&$0) } }
    }

    @Test("Two stripped prefixes in one collection are refused")
    func twoPrefixes() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.idPrefix("b::"), to: "s.c", strip: true)
        }
        #expect(error.code == .configuration)
        #expect(error.message.contains("a::") && error.message.contains("b::") && error.message.contains("s.c"))
    }

    @Test("A stripped and an unstripped route in one collection are refused")
    func stripAndKeep() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.property(name: "type", equals: .string("a")), to: "s.c")
        }
        #expect(error.code == .configuration)
    }

    @Test("Stripping in the default collection is refused, where documents without a route keep their IDs")
    func stripIntoDefault() async throws {
        let error = try await refusal { try $0.route(.idPrefix("a::"), to: "_default._default", strip: true) }
        #expect(error.code == .configuration)
    }

    @Test("The same prefix twice is accepted")
    func samePrefix() async throws {
        _ = try await Fixture {
            try $0.add("s.c", "s.d")
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.idPrefix("b::"), to: "s.d", strip: true)
        }
    }

    @Test("An unknown collection is refused")
    func unknownCollection() async throws {
        let error = try await refusal { try $0.route(.idPrefix("a"), to: "s.none") }
        #expect(error.code == .configuration)
        #expect(error.message.contains("s.none"))
    }

    @Test("A pattern that is not a regular expression is refused")
    func badPattern() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.idPattern("(["), to: "s.c")
        }
        #expect(error.code == .configuration)
    }

    @Test("JavaScript that does not compile is refused")
    func badJavaScript() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.javaScript("function (doc { "), to: "s.c")
        }
        #expect(error.code == .configuration)
        #expect(error.message.contains("Route 1"))
    }

    @Test("Stripping an empty prefix, or without a prefix, is refused", arguments: [RouteCondition.idPrefix(""), .channel("a")])
    func nothingToStrip(condition: RouteCondition) async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(condition, to: "s.c", strip: true)
        }
        #expect(error.code == .configuration)
    }

    @Test("Collection names are those of Couchbase Server", arguments: ["", ".", "a.b.c", "_a.b", "a.%b", "a.b c", "a.é"])
    func badNames(name: String) {
        #expect(CollectionName(name) == nil)
    }
}
