import HTTP
import Testing

/// Recorded bodies of real programs, with shortened attachments.
@Suite("Recorded multipart bodies")
struct RecordedMultipartTests {
    @Test("CBL Java 1.4.4 has an unquoted boundary and filename, Content-Length on the JSON part only, and CRLF at the end")
    func java() throws {
        let type = MediaType("multipart/related; boundary=ebdb165d-d0f0-494d-90f0-08e4799a80e5")
        let body =
            "--ebdb165d-d0f0-494d-90f0-08e4799a80e5\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}\r\n"
            + "--ebdb165d-d0f0-494d-90f0-08e4799a80e5\r\nContent-Disposition: attachment; filename=big file.txt\r\n"
            + "Content-Type: text/plain\r\n\r\nxxx\r\n--ebdb165d-d0f0-494d-90f0-08e4799a80e5--\r\n"
        try check(type, body, filename: "big file.txt")
    }

    @Test("CBL .NET 1.4.4 has a quoted boundary and filename, and CRLF at the end")
    func dotNet() throws {
        let type = MediaType("multipart/related; boundary=\"b4aa2e62-bd6c-4b31-98e3-c9ba020aacd1\"")
        let body =
            "--b4aa2e62-bd6c-4b31-98e3-c9ba020aacd1\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{}\r\n"
            + "--b4aa2e62-bd6c-4b31-98e3-c9ba020aacd1\r\nContent-Disposition: attachment; filename=\"big file.txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\nxxx\r\n--b4aa2e62-bd6c-4b31-98e3-c9ba020aacd1--\r\n"
        try check(type, body, filename: "big file.txt")
    }

    @Test("CBL iOS 1.4 has an upper-case UUID, CRLF before the first delimiter, and none after the last")
    func iOS() throws {
        let type = MediaType("multipart/related; boundary=\"5B8C4F0A-0C5E-4B7E-9D55-0A1B2C3D4E5F\"")
        let body =
            "\r\n--5B8C4F0A-0C5E-4B7E-9D55-0A1B2C3D4E5F\r\nContent-Type: application/json\r\n\r\n{}"
            + "\r\n--5B8C4F0A-0C5E-4B7E-9D55-0A1B2C3D4E5F\r\nContent-Length: 3\r\nContent-Disposition: attachment; filename=\"big file.txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\nxxx\r\n--5B8C4F0A-0C5E-4B7E-9D55-0A1B2C3D4E5F--"
        try check(type, body, filename: "big file.txt")
    }

    @Test("Sync Gateway 2.8.4's _bulk_get has a document with its attachment nested in it")
    func syncGateway() throws {
        let outer = "6d24bdf9b847de86e6f390a5844fb7081a654b3b971a78b4e59c15511fa9"
        let inner = "09fdb8e5230ce073cec59ccf79789a596b6a75342bf91e5c0e2aef56e97b"
        let body =
            "--\(outer)\r\nContent-Type: multipart/related; boundary=\"\(inner)\"\r\nX-Doc-Id: j5/att\r\n"
            + "X-Rev-Id: 3-b60ee857fab3202427e01a3e8ffe593e\r\n\r\n"
            + "--\(inner)\r\nContent-Type: application/json\r\n\r\n{}\r\n"
            + "--\(inner)\r\nContent-Disposition: attachment; filename=\"big file.txt\"\r\nContent-Type: text/plain\r\n\r\nxxx\r\n--\(inner)--"
            + "\r\n--\(outer)\r\nContent-Type: application/json; error=\"true\"\r\n\r\n{\"status\":404}\r\n--\(outer)--"
        let parts = try ParsedPart.parse(body, boundary: outer)
        #expect(parts.count == 2)
        #expect(parts[0].headers["X-Doc-ID"] == "j5/att")
        #expect(parts[1].headers.isError)
        try check(parts[0].headers.contentType, parts[0].text, filename: "big file.txt")
    }

    private func check(_ type: MediaType?, _ body: String, filename: String) throws {
        let parts = try ParsedPart.parse(body, boundary: try MultipartBoundary(contentType: type).text)
        #expect(parts.count == 2)
        #expect(parts[0].headers.contentType?.isJSON == true)
        #expect(parts[0].text == "{}")
        #expect(parts[1].headers.filename == filename)
        #expect(parts[1].text == "xxx")
    }
}
