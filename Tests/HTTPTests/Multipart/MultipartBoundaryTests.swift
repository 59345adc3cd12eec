import HTTP
import TestSupport
import Testing

@Suite("MultipartBoundary")
struct MultipartBoundaryTests {
    @Test(
        "Boundaries are found quoted (iOS, .NET, Sync Gateway) and unquoted (Java, CouchDB)",
        arguments: [
            ("multipart/related; boundary=\"b4aa2e62-bd6c-4b31-98e3-c9ba020aacd1\"", "b4aa2e62-bd6c-4b31-98e3-c9ba020aacd1"),
            ("multipart/related; boundary=ebdb165d-d0f0-494d-90f0-08e4799a80e5", "ebdb165d-d0f0-494d-90f0-08e4799a80e5"),
            ("Multipart/Mixed;charset=utf-8;  BOUNDARY = \"a b\" ; x=y", "a b"),
            ("multipart/mixed; boundary=a=b:c/d", "a=b:c/d"),
            ("multipart/mixed; boundary=\"a\\\"b\"", "a\"b"),
            ("multipart/mixed; type=\"x; boundary=no\"; boundary=yes", "yes"),
        ])
    func fromContentType(header: String, boundary: String) throws {
        #expect(try MultipartBoundary(contentType: MediaType(header)).text == boundary)
    }

    @Test(
        "Content types without a usable boundary are refused",
        arguments: [
            (nil, MultipartError.Code.notMultipart), ("application/json; boundary=x", .notMultipart),
            ("multipart/related", .missingBoundary), ("multipart/related; boundary=", .invalidBoundary),
            ("multipart/related; boundary=\"\"", .invalidBoundary), ("multipart/related; boundary=\"a \"", .invalidBoundary),
            ("multipart/related; boundary=é", .invalidBoundary), ("multipart/related; boundary=\"a\r\nb\"", .invalidBoundary),
            ("multipart/related; boundary=" + String(repeating: "x", count: 201), .invalidBoundary),
        ] as [(String?, MultipartError.Code)])
    func refused(header: String?, code: MultipartError.Code) {
        let error = #expect(throws: MultipartError.self) { try MultipartBoundary(contentType: header.flatMap { MediaType($0) }) }
        #expect(error?.code == code)
    }

    @Test("Boundaries of 71 to 200 characters are accepted, too", arguments: [1, 70, 71, 200])
    func lengths(length: Int) throws {
        let boundary = String(repeating: "x", count: length)
        #expect(try ParsedPart.parse("--\(boundary)\r\n\r\nok\r\n--\(boundary)--", boundary: boundary).map(\.text) == ["ok"])
    }

    @Test("New boundaries are random and need no quotes; the header quotes them by default")
    func random() throws {
        let boundary = MultipartBoundary.random()
        #expect(boundary != .random())
        #expect(boundary.text.utf8.count == 32)
        #expect(boundary.contentType("mixed") == "multipart/mixed; boundary=\"\(boundary.text)\"")
        #expect(boundary.contentType("related", isQuoted: false) == "multipart/related; boundary=\(boundary.text)")
        #expect(try MultipartBoundary(contentType: MediaType(boundary.contentType("related"))) == boundary)
        var (first, second) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
        #expect(MultipartBoundary.random(using: &first) == MultipartBoundary.random(using: &second))
    }
}
