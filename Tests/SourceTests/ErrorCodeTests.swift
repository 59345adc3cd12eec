import Foundation
import Testing

/// The codes of errors are closed, so that the compiler finds every translation that a new code needs.
@Suite("Codes of errors are enums, and are translated without a default")
struct ErrorCodeTests {
    /// The public errors of the two products. An app's switch must survive a new code.
    private static let extensible: Set<String> = [
        "Sources/LegacyClient/Replication/ReplicationError+Code.swift", "Sources/ModernClient/Replicator/ReplicatorError+Code.swift",
    ]

    /// Files that read texts of libraries without codes: JavaScriptCore's syntax errors.
    private static let readers: Set<String> = ["Sources/Scripting/Isolation/SyntaxError.swift"]

    /// The code of every line of the sources, without comments and string literals.
    private static let files: [(path: String, lines: [String])] = SourceFile.all(in: "Sources").map { file in
        (file.path, file.lines.map { SourceFile.parts(of: $0).code })
    }

    /// The lines with a `default` in a switch over the code of an error.
    ///
    /// A number that is called a code has literals as cases, not members.
    private static func defaults(in lines: [String]) -> [Int] {
        lines.indices.filter { index in
            guard let indent = lines[index].firstMatch(of: /^( *)default:/)?.1 else { return false }
            var hasMembers = false
            for line in lines[..<index].reversed() {
                if line.contains("switch "), line.prefix(while: { $0 == " " }).count <= indent.count {
                    return hasMembers && line.contains(/\bswitch ([\w?]+\.)*code(\.known|\.kind)? \{/)
                }
                if line.hasPrefix("\(indent)case .") { hasMembers = true }
            }
            return false
        }
    }

    /// The lines that decide by the text of an error.
    private static func decisions(in lines: [String]) -> [Int] {
        // No `\b`: by Unicode's rules, `error.message` is one word.
        let text = /([Ee]rror|failure|cause|refusal)\)?\??\.(message|reason|description|localizedDescription)(?!\w)/
        let decision = /\??(\.lowercased\(\))?(\.contains\(|\.hasPrefix\(|\.hasSuffix\(| [!=]= )/
        return lines.indices.filter { index in
            lines[index].matches(of: text).contains { lines[index][$0.range.upperBound...].prefixMatch(of: decision) != nil }
        }
    }

    @Test("Only the products' public codes are structs")
    func structs() {
        #expect(Self.files.count > 500)
        let found = Self.files.filter { file in file.lines.contains { $0.contains(/\bstruct Code\b/) } }.map(\.path)
        #expect(Set(found) == Self.extensible)
    }

    @Test("No switch over the code of an error has a default")
    func defaults() {
        for file in Self.files {
            for line in Self.defaults(in: file.lines) { Issue.record("\(file.path):\(line + 1): list the codes.") }
        }
    }

    @Test("No decision depends on the text of an error")
    func texts() {
        for file in Self.files where !Self.readers.contains(file.path) {
            for line in Self.decisions(in: file.lines) { Issue.record("\(file.path):\(line + 1): add a code.") }
        }
    }

    @Test("The scans find their targets, and nothing else")
    func scans() {
        func defaults(_ text: String) -> [Int] { Self.defaults(in: text.components(separatedBy: "\n")) }
        #expect(defaults("switch error.code {\ncase .a: 1\ndefault: 2\n}") == [2])
        #expect(defaults("    switch error?.code {\n    case .a:\n        b()\n    default:\n        c()\n    }") == [3])
        #expect(defaults("switch error.code.known {\ncase .a: 1\ndefault: 2\n}") == [2])
        #expect(defaults("switch code {\ncase .a:\n    switch b {\n    case .c: 1\n    default: 2\n    }\ndefault: 3\n}") == [6])
        #expect(defaults("switch code {\ncase 404: 1\ndefault: 2\n}").isEmpty)
        #expect(defaults("switch error.code.rawValue {\ncase 404: 1\ndefault: 2\n}").isEmpty)
        #expect(defaults("switch error.code {\ncase .a: 1\n}\nswitch b {\ncase .c: 1\ndefault: 2\n}").isEmpty)
        #expect(Self.decisions(in: ["if error.message.contains(\"\") {", "error.reason == \"\"", "a.message == b.message"]) == [0, 1])
    }
}
