import Testing

@testable import Gateway

@Suite("Regular expressions of routes")
struct IDPatternTests {
    @Test(
        "Expressions match at any position and in any script",
        arguments: [
            ("^inv-[0-9]+$", "inv-17", true), ("^inv-[0-9]+$", "inv-17x", false), ("inv", "the-inv", true),
            ("inv", String(repeating: "x", count: 5_000) + "inv", true), ("^ä+$", "ää", true), ("^.$", "👨‍👩‍👧", false),
        ])
    func finds(pattern: String, id: String, isFound: Bool) throws {
        #expect(try IDPattern(pattern).isFound(in: id) == isFound)
    }

    @Test("An invalid expression is refused", arguments: ["(", "[a", "*", ""])
    func none(pattern: String) {
        #expect(throws: (any Error).self) { try IDPattern(pattern) }
    }

    @Test(
        "IDs that would take years do not match",
        arguments: ["^([a-z]+[-_]?)+$", "^(order|inv)(-?[0-9]+)*$", "^(a+)+$"],
        ["order-" + String(repeating: "1", count: 60) + "x", String(repeating: "a", count: 230) + "!"])
    func backtracking(pattern: String, id: String) throws {
        let expression = try IDPattern(pattern)
        for _ in 0..<100 { #expect(!expression.isFound(in: id)) }
        #expect(try IDPattern("^(a+)+!$").isFound(in: String(repeating: "a", count: 230) + "!"))
    }
}
