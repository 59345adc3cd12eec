import NIOCore
import Testing

@testable import HTTPListener

@Suite("UTF-8 in a request line")
struct RequestLineEscapingTests {
    private func escape(_ pieces: String...) -> String {
        var escaping = RequestLineEscaping()
        return pieces.map { escaping.escape(ByteBuffer(string: $0)) }.map { String(buffer: $0) }.joined()
    }

    @Test("UTF-8 is escaped in the path and the query, and nowhere else")
    func escapes() {
        #expect(
            escape("PUT /db/é😀?a=é HTTP/1.1\r\nX-Name: é\r\n\r\né") == "PUT /db/%C3%A9%F0%9F%98%80?a=%C3%A9 HTTP/1.1\r\nX-Name: é\r\n\r\né")
        #expect(escape("GET /db/%C3%A9 HTTP/1.1\r\nX: é\r\n\r\n") == "GET /db/%C3%A9 HTTP/1.1\r\nX: é\r\n\r\n")
    }

    @Test("UTF-8 is escaped wherever the line is split, and after empty lines")
    func pieces() {
        let line = Array("\r\nGET /é HTTP/1.1\r\nX: é\r\n\r\né".utf8)
        for cut in line.indices {
            var escaping = RequestLineEscaping()
            var result = ByteBuffer()
            for piece in [line[..<cut], line[cut...]] {
                result.writeImmutableBuffer(escaping.escape(ByteBuffer(bytes: piece)))
            }
            #expect(String(buffer: result) == "\r\nGET /%C3%A9 HTTP/1.1\r\nX: é\r\n\r\né", "cut at \(cut)")
        }
    }

    @Test("UTF-8 is escaped in the next request as well")
    func next() {
        var escaping = RequestLineEscaping()
        _ = escaping.escape(ByteBuffer(string: "PUT /a HTTP/1.1\r\n\r\n"))
        #expect(String(buffer: escaping.escape(ByteBuffer(string: "é\n"))) == "é\n")
        escaping.requestEnded()
        #expect(String(buffer: escaping.escape(ByteBuffer(string: "GET /é HTTP/1.1\r\n\r\n"))) == "GET /%C3%A9 HTTP/1.1\r\n\r\n")
    }
}
