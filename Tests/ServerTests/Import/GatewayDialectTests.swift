import Documents
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Sync Gateway's dialect of JSON")
struct GatewayDialectTests {
    private func value(_ text: String) throws -> JSONValue { try JSONValue(try GatewayDialect(Array(text.utf8)).json) }

    @Test("Comments, backquotes, a byte order mark and blanks are accepted")
    func reading() throws {
        let text =
            "\u{feff}// first\n{ /* two\nlines */ \"a\": 1, // \"b\": 2\n  \"u\": \"http://x/*y*/\", \"f\": `function (d) {\r\n\tx(\"q\", '\\n'); // c\n}`}  \n\n"
        #expect(
            try value(text)
                == .object([
                    JSONMember("a", .number("1")), JSONMember("u", .string("http://x/*y*/")),
                    JSONMember("f", .string("function (d) {\n\tx(\"q\", '\\n'); // c\n}")),
                ]))
    }

    @Test("Quotes and backquotes may be within each other")
    func nesting() throws {
        #expect(try value(#"["a`b\"`", `c"d`, `e\`f`, "\\", ``]"#) == .array(["a`b\"`", "c\"d", "e\\`f", "\\", ""].map { .string($0) }))
    }

    @Test("An error has the line of the file, also behind functions of many lines")
    func lines() throws {
        let text = "{\n  \"sync\": `function () {\n\n}`, /*\n\n*/\n  \"b\": tru\n}\n"
        let dialect = try GatewayDialect(Array(text.utf8))
        let error = try #require(throws: JSONError.self) { try JSONValue(dialect.json) }
        #expect(dialect.line(of: error.offset) == 7)
        #expect(dialect.line(of: 0) == 1)
    }

    @Test("An unterminated element is reported with the line where it begins", arguments: [("{\n`x", 2), ("\n\n/* x\n\n", 3)])
    func unended(text: String, line: Int) throws {
        let error = try #require(throws: GatewayImportError.self) { try GatewayDialect(Array(text.utf8)) }
        #expect(error.message.hasPrefix("line \(line): "), "\(error)")
    }

    @Test("Random input causes no crash")
    func noise() {
        var state: UInt64 = 7
        let alphabet = Array("`\"\\/*\n\r{}[]:,a ".utf8)
        for length in 0..<400 {
            let bytes = (0..<(length % 40)).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            if let dialect = try? GatewayDialect(bytes) { _ = try? JSONValue(dialect.json) }
        }
    }
}
