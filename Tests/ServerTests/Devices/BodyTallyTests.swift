import Compression
import HTTP
import NIOCore
import Testing

@testable import Server

@Suite("Counting documents in bodies that pass by")
struct BodyTallyTests {
    /// The documents of a text, in whole and byte by byte.
    private static func documents(_ form: BodyTally.Form, _ text: String, encoding: String? = nil) -> BodyTally.Documents? {
        var (whole, bytes) = (BodyTally(form, encoding: encoding), BodyTally(form, encoding: encoding))
        whole.add(ByteBuffer(string: text))
        for byte in text.utf8 { bytes.add(ByteBuffer(bytes: [byte])) }
        #expect(whole.documents == bytes.documents)
        return whole.documents
    }

    @Test(
        "Documents of a request",
        arguments: [
            (#"{"docs":[]}"#, 0), (#"{"docs":[{"_id":"a","x":[{"y":{}}]},{"t":"{\"}"}],"new_edits":false}"#, 2),
            (#"{"new_edits":false,"docs":[{},{},{}]}"#, 3), ("", 0), ("]]}}{", 0),
        ])
    func items(text: String, count: Int) {
        #expect(Self.documents(.items, text) == BodyTally.Documents(count: count))
    }

    @Test("Rows of a response, with conflicts and refusals")
    func rows() {
        let text = #"[{"id":"a","rev":"1-a"},{"id":"b","error":"conflict","status":409},{"id":"c","error":"forbidden","status":403}]"#
        #expect(Self.documents(.rows, text) == BodyTally.Documents(count: 3, refused: 1, conflicts: 1))
        let odd =
            #" [ {"status" : 409 , "error":{"error":"x"} , "id":"a\"}"} ,{"id":"error","rev":"conflict"}, {"error":"a longer name of an error"} ] "#
        #expect(Self.documents(.rows, odd) == BodyTally.Documents(count: 3, refused: 1, conflicts: 1))
        #expect(Self.documents(.rows, "[]") == BodyTally.Documents())
        #expect(Self.documents(.rows, "{}") == nil)
        #expect(Self.documents(.rows, "[") == nil)
    }

    @Test("Parts of a multipart body, in which other boundaries may be nested")
    func parts() throws {
        let boundary = try MultipartBoundary("ab")
        let text = "--ab\r\nContent-Type: application/json\r\n\r\n{}\r\n--ab\r\n\r\n--cd\r\n--a\r\r\n--cd--\r\n--ab--\r\n"
        #expect(Self.documents(.parts(boundary), text) == BodyTally.Documents(count: 2))
        #expect(Self.documents(.parts(boundary), "--ab--") == BodyTally.Documents(count: 0))
        #expect(Self.documents(.parts(boundary), "") == BodyTally.Documents(count: 0))
    }

    @Test("Compressed bodies are counted, damaged ones and other encodings are not")
    func compressed() throws {
        let text = #"{"docs":[\#(Array(repeating: #"{"a":1}"#, count: 5_000).joined(separator: ","))]}"#
        var tally = BodyTally(.items, encoding: "gzip")
        tally.add(try Deflater(level: 6).write(ByteBuffer(string: text), flush: .finish))
        #expect(tally.documents?.count == 5_000)
        #expect(Self.documents(.items, "no gzip", encoding: "gzip") == nil)
        #expect(Self.documents(.items, text, encoding: "br") == nil)
    }

    @Test("A body that expands too much is not counted")
    func bomb() throws {
        let deflater = try Deflater(level: 9)
        var tally = BodyTally(.items, encoding: "gzip", limit: 200_000)
        let chunk = ByteBuffer(repeating: UInt8(ascii: " "), count: 100_000)
        for _ in 0..<3 { tally.add(deflater.write(chunk, flush: .sync)) }
        #expect(tally.documents == nil)
    }
}
