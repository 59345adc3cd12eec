import Storage
import Testing

@testable import Gateway

@Suite("Route sets that are refused when they are loaded")
struct RouteTableTests {
    private func refusal(_ configure: (inout DatabaseConfiguration) throws -> Void) async throws -> GatewayError {
        try await failure { _ = try await Fixture { try configure(&$0) } }
    }

    @Test("Two prefixes stripped into the same collection")
    func twoPrefixes() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.idPrefix("b::"), to: "s.c", strip: true)
        }
        #expect(error.code == .configuration)
        #expect(error.message.contains("a::") && error.message.contains("b::") && error.message.contains("s.c"))
    }

    @Test("Strip and no strip into one collection")
    func stripAndKeep() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.property(name: "type", equals: .string("a")), to: "s.c")
        }
        #expect(error.code == .configuration)
    }

    @Test("Strip into the default collection, where documents that no route wants keep their IDs")
    func stripIntoDefault() async throws {
        let error = try await refusal { try $0.route(.idPrefix("a::"), to: "_default._default", strip: true) }
        #expect(error.code == .configuration)
    }

    @Test("The same prefix twice is one place, and so allowed")
    func samePrefix() async throws {
        _ = try await Fixture {
            try $0.add("s.c", "s.d")
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.idPrefix("a::"), to: "s.c", strip: true)
            try $0.route(.idPrefix("b::"), to: "s.d", strip: true)
        }
    }

    @Test("A collection that is not there")
    func unknownCollection() async throws {
        let error = try await refusal { try $0.route(.idPrefix("a"), to: "s.none") }
        #expect(error.code == .configuration)
        #expect(error.message.contains("s.none"))
    }

    @Test("A pattern that is not a regular expression")
    func badPattern() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.idPattern("(["), to: "s.c")
        }
        #expect(error.code == .configuration)
    }

    @Test("JavaScript that does not compile")
    func badJavaScript() async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(.javaScript("function (doc { "), to: "s.c")
        }
        #expect(error.code == .configuration)
        #expect(error.message.contains("Route 1"))
    }

    @Test("A prefix to strip that is empty, or no prefix", arguments: [RouteCondition.idPrefix(""), .channel("a")])
    func nothingToStrip(condition: RouteCondition) async throws {
        let error = try await refusal {
            try $0.add("s.c")
            try $0.route(condition, to: "s.c", strip: true)
        }
        #expect(error.code == .configuration)
    }

    @Test("Collections are named as on Couchbase Server", arguments: ["", ".", "a.b.c", "_a.b", "a.%b", "a.b c", "a.é"])
    func badNames(name: String) {
        #expect(CollectionName(name) == nil)
    }
}
