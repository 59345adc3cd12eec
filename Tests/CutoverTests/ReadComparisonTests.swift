import HTTP
import Testing

@testable import Cutover

@Suite("Comparing the responses of two servers to a read")
struct ReadComparisonTests {
    private static func view(_ text: String, type: String = "application/json") throws -> ReadView {
        try #require(ReadView(Array(text.utf8), type: MediaType(type)))
    }

    private static func kinds(_ old: String, _ here: String) throws -> [String] {
        ReadComparison.differences(old: try view(old), here: try view(here)).map { "\($0.kind.rawValue) \($0.id)" }.sorted()
    }

    @Test(
        "Documents in each form of a response are the same",
        arguments: [
            (#"{"_id":"a","_rev":"1-a","n":1}"#, "application/json"),
            (#"[{"ok":{"_id":"a","_rev":"1-a","n":1.0}},{"missing":"2-b"}]"#, "application/json"),
            (
                #"{"results":[{"id":"a","docs":[{"ok":{"n":1e0,"_rev":"1-a","_id":"a","_revisions":{"start":1,"ids":["a"]}}}]}]}"#,
                "application/json"
            ),
            (
                "--x\r\nContent-Type: application/json\r\n\r\n{\"_id\":\"a\",\"_rev\":\"1-a\",\"n\":1}\r\n--x--",
                "multipart/mixed; boundary=\"x\""
            ),
            (
                "--x\r\nContent-Type: multipart/related; boundary=y\r\n\r\n--y\r\nContent-Type: application/json\r\n\r\n"
                    + "{\"_id\":\"a\",\"_rev\":\"1-a\",\"n\":1}\r\n--y\r\nContent-Type: text/plain\r\n\r\n{}\r\n--y--\r\n--x--",
                "multipart/mixed; boundary=x"
            ),
        ])
    func forms(text: String, type: String) throws {
        let plain = try Self.view(#"{"_id":"a","_rev":"1-a","n":1}"#)
        #expect(try Self.view(text, type: type) == plain)
    }

    @Test(
        "Text that is no response of these forms is not compared",
        arguments: [("", "application/json"), ("--x", "multipart/mixed; boundary=x")])
    func others(text: String, type: String) {
        let view = ReadView(Array(text.utf8), type: MediaType(type))
        #expect(view == nil || view?.entries.isEmpty == true)
    }

    @Test("Each kind of difference of documents is found")
    func documents() throws {
        let document = #"{"_id":"a","_rev":"1-a","n":1,"_attachments":{"x":{"digest":"sha1-A","stub":true}}}"#
        #expect(try Self.kinds(document, document) == [])
        #expect(try Self.kinds(document, #"{"_id":"a","_rev":"1-a","n":2,"_attachments":{"x":{"digest":"md5-A"}}}"#) == ["body a"])
        #expect(try Self.kinds(document, #"{"_id":"a","_rev":"1-a","n":1,"_attachments":{"x":{"digest":"sha1-B"}}}"#) == ["attachments a"])
        #expect(try Self.kinds(document, #"{"_id":"a","_rev":"1-a","n":1}"#) == ["attachments a"])
        #expect(try Self.kinds(document, #"{"_id":"a","_rev":"2-b","n":1}"#) == ["revision a"])
        #expect(try Self.kinds(document, #"{"_id":"a","_rev":"1-a","_deleted":true}"#) == ["deletion a"])
        let missing = #"{"results":[{"id":"a","docs":[{"error":{"id":"a","rev":"1-a","error":"not_found"}}]}]}"#
        let found = #"{"results":[{"id":"a","docs":[{"ok":{"_id":"a","_rev":"1-a"}}]}]}"#
        #expect(try Self.kinds(found, missing) == ["missing a"])
        #expect(try Self.kinds(missing, found) == ["extra a"])
        #expect(try Self.kinds(missing, missing) == [])
    }

    @Test("Rows of a feed are compared by ID; only rows from before the request count as further ones")
    func rows() throws {
        func row(_ id: String, _ rev: String, _ rest: String = "", seq: Int = 1) -> String {
            #"{"seq":\#(seq),"id":"\#(id)","changes":[{"rev":"\#(rev)"}]\#(rest)}"#
        }
        func feed(_ rows: String...) -> String { #"{"results":[\#(rows.joined(separator: ","))],"last_seq":9}"# }
        #expect(try Self.kinds(feed(row("a", "1-a"), row("b", "1-b")), feed(row("b", "1-b"), row("a", "1-a"))) == [])
        #expect(try Self.kinds(feed(row("a", "1-a"), row("b", "2-b")), feed(row("b", "1-b"))) == ["missing a", "revision b"])
        #expect(try Self.kinds(feed(row("a", "2-a", #","deleted":true"#)), feed(row("a", "2-a"))) == ["deletion a"])
        #expect(try Self.kinds(feed(row("a", "2-a", #","removed":["x"]"#)), feed()) == [])
        #expect(try Self.kinds(#"{"results":[{"seq":3,"id":"_user/anna","changes":[]}]}"#, feed()) == [])
        let here = try Self.view(
            feed(row("a", "1-a"), row("b", "1-b", seq: 5), row("c", "1-c", seq: 8), row("d", "1-d", #","removed":["x"]"#)))
        let extras = ReadComparison.extras(old: try Self.view(feed(row("a", "1-a"))), here: here, upTo: 5)
        #expect(extras.map(\.id) == ["b"])
    }
}
