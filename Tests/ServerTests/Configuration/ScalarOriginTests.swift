import Foundation
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Places of a scalar's characters in its file")
struct ScalarOriginTests {
    /// The position in the file of the first `@` in the text of `f`; the file has one `@` itself.
    private func position(_ yaml: String, environment: [String: String] = [:]) throws -> TextPosition? {
        var found: TextPosition?
        try ConfigurationFile.content(of: yaml, environment: environment) { root in
            let node = try #require(root["f"])
            let text = try node.text()
            let before = try #require(text.range(of: "@")).lowerBound
            let lines = text[..<before].split(separator: "\n", omittingEmptySubsequences: false)
            let column = (lines.last?.utf16.count ?? 0) + 1
            _ = try node.script(.predicate)
            guard case .scalar(let origin)? = root.findings.scripts.last?.origin else { return }
            found = origin.position(line: lines.count, column: column)
        }
        return found
    }

    @Test(
        "Places are right in every style of YAML",
        arguments: [
            "f: a @ b", "f: a\n  b @ c", "f: 'it''s @'", "f: 'a\n\n  b\n  c @'", "f: \"a \\\"b\\\" \\\\ @\"",
            "f: \"a\\n  \\x41\\u010d\\U0001f600 @\"", "f: \"a\\\n   b @\"", "f: |\n  a\n    b\n\n  c @ d", "f: |2\n    a @",
            "f: >-\n  a\n  b\n\n   c @",
            "x: 1\nf:   |-  # why\n      😀 ž @", "f: &anchor |\n  a @", "f: !!str 'a @'", "{ e: 1, f: \"😀 @\" }",
            "f: |\r\n  a\r\n  b @\r\n",
            "f:\n  \"a @\"",
        ])
    func styles(yaml: String) throws {
        let source = ConfigurationSource(yaml, file: nil, environment: [:])
        let line = try #require(source.lines.firstIndex { $0.contains("@") })
        let column = try #require(source.lines[line].firstIndex(of: "@"))
        #expect(try position(yaml) == TextPosition(line: line + 1, column: column + 1))
    }

    @Test("Places are right behind variables that are longer or shorter than their values")
    func variables() throws {
        #expect(
            try position("f: \"${A}b$${c} @ ${A}\"", environment: ["A": "1\n2\n3"]) == TextPosition(line: 1, column: 16))
        #expect(try position("f: |\n  ${A}\n  ${A}@\n", environment: ["A": ""]) == TextPosition(line: 3, column: 7))
    }
}
