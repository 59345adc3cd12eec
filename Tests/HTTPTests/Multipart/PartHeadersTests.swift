import HTTP
import Testing

@Suite("PartHeaders")
struct PartHeadersTests {
    private func headers(_ lines: String) throws -> PartHeaders {
        let parts = try ParsedPart.parse("--b\r\n\(lines)\r\n\r\n\r\n--b--")
        return try #require(parts.first).headers
    }

    @Test("Names are case-insensitive and kept as received")
    func names() throws {
        let headers = try headers("content-TYPE: text/plain\r\nX-Doc-Id: j5/att\r\nX-Doc-ID: second")
        #expect(headers.contentType?.essence == "text/plain")
        #expect(headers.fields.map(\.name) == ["content-TYPE", "X-Doc-Id", "X-Doc-ID"])
        #expect(headers["x-doc-id"] == "j5/att")
        #expect(headers["missing"] == nil)
    }

    @Test("All four headers of an attachment's part of CBL iOS are read")
    func iOSPart() throws {
        let headers = try headers(
            "Content-Length: 5000\r\nContent-Disposition: attachment; filename=\"a \\\"b\\\".txt\"\r\n"
                + "Content-Type: text/plain\r\nContent-Encoding: GZIP")
        #expect(headers.contentLength == 5000)
        #expect(headers.filename == "a \"b\".txt")
        #expect(headers.contentEncoding == "gzip")
    }

    @Test("Identity is no encoding, a Content-ID loses its brackets, and a malformed length is absent")
    func fields() throws {
        let headers = try headers("Content-Encoding: identity\r\nContent-ID: <a@b>\r\nContent-Length: x")
        #expect(headers.contentEncoding == nil)
        #expect(headers.contentID == "a@b")
        #expect(headers.contentLength == nil)
        #expect(try self.headers("Content-ID: plain").contentID == "plain")
        #expect(try self.headers("Content-Length: 99999999999999999999999").contentLength == .max)
        #expect(try self.headers("Content-Length: -1").contentLength == nil)
        #expect(try self.headers("X: y").contentType == nil)
    }

    @Test("Values are trimmed, folded lines are joined, and text that is not UTF-8 is read as ISO 8859-1")
    func values() throws {
        #expect(try headers("A:\t x y \t")["A"] == "x y")
        #expect(try headers("A:")["A"] == "")
        #expect(try headers("A: x\r\n  y\r\n\tz")["A"] == "x y z")
        let latin = Array("--b\r\nA: na".utf8) + [0xEF] + Array("ve\r\n\r\n\r\n--b--".utf8)
        #expect(try ParsedPart.parse([latin[...]], boundary: "b").first?.headers["A"] == "naïve")
    }

    @Test(
        "Malformed header lines are refused",
        arguments: ["no colon", ": no name", "A : blank before the colon", " folded first: x", "A: nul\0", "A\0: x", "Ä: x", "A: cr\rx"])
    func malformed(line: String) {
        let error = #expect(throws: MultipartError.self) { try headers(line) }
        #expect(error?.code == .malformedHeader)
    }

    @Test(
        "Headers that affect the reading of a part may occur once",
        arguments: ["Content-Type", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-ID"])
    func duplicates(name: String) {
        let error = #expect(throws: MultipartError.self) { try headers("\(name): a\r\n\(name.lowercased()): b") }
        #expect(error?.code == .duplicateHeader)
    }
}
