import Foundation
import Testing

/// A trap ends the bridge for a whole fleet, so calls that can trap have to be replaced by other ones.
@Suite("Sources without trapping calls")
struct TrapTests {
    /// A forbidden call, and its replacement.
    struct Rule: Sendable, CustomTestStringConvertible {
        let name: String
        let pattern: String
        let instead: String

        var testDescription: String { name }
    }

    static let rules = [
        Rule(name: "try!", pattern: #"\btry!"#, instead: "let the error out, or `try?`"),
        Rule(name: "as!", pattern: #"\bas!"#, instead: "`as?`, or a type that says it"),
        Rule(name: "force unwrap", pattern: #"[\w)\]]!(?=[\s.,;)\]\[}:?]|$)"#, instead: "`guard let`, `??`"),
        Rule(name: "implicitly unwrapped", pattern: #":\s*[A-Z]\w*(<.*>)?!(\s|$)"#, instead: "an optional"),
        Rule(
            name: "assertions", pattern: #"\b(fatalError|preconditionFailure|precondition|assertionFailure|assert)\("#,
            instead: "an error, or a type that cannot be wrong"),
        Rule(name: "unowned", pattern: #"\bunowned\b"#, instead: "`weak`"),
        Rule(
            name: "unique keys", pattern: #"uniqueKeysWithValues"#,
            instead: "`Dictionary(_:uniquingKeysWith:)`: a damaged store has keys twice, too"),
        Rule(name: "Data(count:)", pattern: #"\bData\(count:"#, instead: "bytes as they come, up to a limit"),
        Rule(
            name: "slices from a distance", pattern: #"\.index\([^)]*offsetBy: (?![^)]*limitedBy)"#,
            instead: "`dropFirst`, `prefix`, `limitedBy`"),
        Rule(
            name: "addresses", pattern: #"SocketAddress\((?!ipAddress: [^,]*, port: 0\))"#,
            instead: "`WebURL`: a port above 65535 stops the process"),
    ]

    /// The code of every line of the sources, without comments and string literals.
    private static let lines: [(place: String, code: String)] = SourceFile.all(in: "Sources").flatMap { file in
        file.lines.enumerated().map { ("\(file.path):\($0.offset + 1)", SourceFile.parts(of: $0.element).code) }
    }

    @Test("No source contains a forbidden call", arguments: rules)
    func traps(_ rule: Rule) throws {
        #expect(Self.lines.count > 10_000)
        let pattern = try Regex(rule.pattern)
        for line in Self.lines where line.code.contains(pattern) {
            Issue.record("\(line.place): \(line.code.drop { $0 == " " }). Use \(rule.instead).")
        }
    }

    @Test(
        "The rules match forbidden calls",
        arguments: [
            ("try!", "let a = try! b()"), ("as!", "a as! B"), ("force unwrap", "a.b!.c"), ("force unwrap", "f(a[1]!)"),
            ("assertions", "precondition(a)"),
            ("unowned", "[unowned self] in"), ("addresses", "SocketAddress(ipAddress: a, port: b)"),
            ("slices from a distance", "a.index(b, offsetBy: 3)"), ("implicitly unwrapped", "var a: Task<Void, Never>!"),
        ])
    func found(_ name: String, _ code: String) throws {
        let rule = try #require(Self.rules.first { $0.name == name })
        #expect(code.contains(try Regex(rule.pattern)))
    }
}
