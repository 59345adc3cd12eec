import HTTP
import Testing

@Suite("MultipartWriter")
struct MultipartWriterTests {
    @Test("A document with an attachment has Sync Gateway's bytes")
    func document() throws {
        var writer = MultipartWriter(boundary: try MultipartBoundary("inner"))
        var bytes = writer.beginPart(.json())
        bytes += Array("{}".utf8)
        bytes += writer.beginPart(.attachment(filename: "big file.txt", contentType: "text/plain", encoding: "gzip"))
        bytes += Array("xx".utf8)
        bytes += writer.finish()
        let expected = """
            --inner\r
            Content-Type: application/json\r
            \r
            {}\r
            --inner\r
            Content-Type: text/plain\r
            Content-Disposition: attachment; filename="big file.txt"\r
            Content-Encoding: gzip\r
            \r
            xx\r
            --inner--
            """
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("Header names in parts have the case, and the disposition the literal prefix, that CBL iOS and Java need")
    func headerCase() {
        var writer = MultipartWriter()
        let bytes = writer.beginPart(.attachment(filename: "a", contentType: "image/png", encoding: "gzip"))
        let text = String(decoding: bytes, as: UTF8.self)
        for line in ["Content-Type: image/png", "Content-Disposition: attachment; filename=\"a\"", "Content-Encoding: gzip"] {
            #expect(text.utf8.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual((line + "\r").utf8) })
        }
    }

    @Test("For CouchDB nothing follows the closing delimiter, JSON parts have no charset, and errors have the one parameter")
    func couchForm() {
        var writer = MultipartWriter()
        #expect(writer.finish() == Array("--\(writer.boundary.text)--".utf8))
        #expect(PartHeaders.json()["Content-Type"] == "application/json")
        #expect(PartHeaders.jsonError()["Content-Type"] == "application/json; error=\"true\"")
        #expect(PartHeaders.jsonError().isError)
        #expect(!PartHeaders.json().isError)
    }

    @Test("An empty body is the closing delimiter alone, with or without a line break before it")
    func empty() throws {
        let boundary = try MultipartBoundary("b")
        var plain = MultipartWriter(boundary: boundary)
        var broken = MultipartWriter(boundary: boundary, beginsWithLineBreak: true)
        #expect(plain.length(of: []) == 5)
        #expect(broken.length(of: []) == 7)
        #expect(plain.finish() == Array("--b--".utf8))
        #expect(broken.finish() == Array("\r\n--b--".utf8))
    }

    @Test(
        "Names with quotes, backslashes and text outside ASCII come back",
        arguments: [
            "a\"b", "a\\b", "\\", "\"", "ünï😀.txt", "a;b=c", "with space", "", "=x", "a\\\"b", "日本語", "a; filename=b", "a; name=b",
            "a\"; size=1",
        ])
    func filenames(name: String) throws {
        let headers = PartHeaders.attachment(filename: name, contentType: nil)
        var writer = MultipartWriter(boundary: try MultipartBoundary("b"))
        let bytes = writer.beginPart(headers) + writer.finish()
        let parts = try ParsedPart.parse([bytes[...]], boundary: "b")
        #expect(parts.first?.headers.filename?.utf8.elementsEqual(name.utf8) == true)
    }

    @Test("A line break in a content type or name cannot begin another header")
    func injection() throws {
        let headers = PartHeaders.attachment(filename: "a\r\nX-Evil: 1\r\n\r\n--b--", contentType: "text/html\r\nX-Evil: 1\0")
        var writer = MultipartWriter(boundary: try MultipartBoundary("b"))
        let bytes = writer.beginPart(headers) + Array("x".utf8) + writer.finish()
        let parts = try ParsedPart.parse([bytes[...]], boundary: "b")
        #expect(parts.count == 1)
        #expect(parts.first?.headers.fields.map(\.name) == ["Content-Type", "Content-Disposition"])
        #expect(parts.first?.text == "x")
    }
}
