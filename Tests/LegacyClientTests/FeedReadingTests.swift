import Documents
import Testing

@testable import LegacyClient

@Suite("Reading of a server's changes feed")
struct FeedReadingTests {
    private func split(_ text: String, _ form: RowSplitter.Form, step: Int, rowSize: Int = 1_000) throws -> [String] {
        var splitter = RowSplitter(form, rowSize: rowSize)
        var rows: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            rows += try splitter.consume(rest.prefix(step)).map { String(decoding: $0, as: UTF8.self) }
            rest = rest.dropFirst(step)
        }
        try splitter.finish()
        return rows
    }

    private let rows = [
        #"{"seq":1,"id":"a","changes":[{"rev":"1-a"}]}"#, #"{"seq":"2-x]","id":"}{\"[","changes":[]}"#,
        #"{"seq":[3,"y"],"id":"ü\\","x":{}}"#,
    ]

    @Test("Rows are found however the bytes are split", arguments: [1, 2, 3, 7, 50, 10_000])
    func forms(step: Int) throws {
        #expect(try split("{\"results\":[\r\n\(rows.joined(separator: "\n,"))\n],\n\"last_seq\":\"3\"}\n", .results, step: step) == rows)
        #expect(try split("\n\n{\"results\":[]}", .results, step: step) == [])
        #expect(try split("[\(rows.joined(separator: ","))]", .array, step: step) == rows)
        #expect(try split("\n\(rows.joined(separator: "\n\n"))\n", .lines, step: step) == rows)
    }

    @Test("A truncated feed, an overlong row and other bodies are refused")
    func refused() {
        for text in [#"{"results":["#, #"{"results":[{"seq":1"#, #"{"results":[],"last_"#, ""] {
            #expect { try split(text, .results, step: 4) } throws: { ($0 as? ReplicationError)?.code == .connectionLost }
        }
        #expect { try split(#"{"error":"x"}"#, .results, step: 4) } throws: { ($0 as? ReplicationError)?.code == .upstream }
        #expect { try split(#"{"a":1}"#, .array, step: 4) } throws: { ($0 as? ReplicationError)?.code == .upstream }
        #expect { try split(#"{"results":[1]}"#, .results, step: 4) } throws: { ($0 as? ReplicationError)?.code == .upstream }
        let long = #"{"results":[{"seq":1,"id":"\#(String(repeating: "x", count: 2_000))"}]}"#
        for step in [1, 100, 10_000] {
            #expect { try split(long, .results, step: step) } throws: { ($0 as? ReplicationError)?.code == .tooLarge }
        }
    }

    @Test("A row's sequence is sent back as the server sent it, numbers as numbers and strings as strings")
    func sequences() throws {
        for (json, text, sent) in [
            ("12", "12", "12"), (#""12""#, "12", "12"), (#""34::36""#, "34::36", #""34::36""#),
            (#"[12,"abc"]"#, #"[12,"abc"]"#, #""[12,\"abc\"]""#),
            (#""00012""#, "00012", #""00012""#), (#""12-g1AAA_-""#, "12-g1AAA_-", #""12-g1AAA_-""#), ("0", "0", "0"),
        ] {
            let change = try RemoteRow(
                Array(#"{"seq":\#(json),"id":"a","changes":[{"rev":"1-a"},{"rev":"1-b"}],"deleted":true}"#.utf8)[...])
            #expect(change?.sequence.text == text && change?.revisions == ["1-a", "1-b"] && change?.isDeleted == true)
            var bytes: [UInt8] = []
            change?.sequence.json.append(to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == sent)
        }
        #expect(try RemoteRow(Array(#"{"last_seq":5,"pending":0}"#.utf8)[...]) == nil)
        for bad in [#"{"id":"a"}"#, #"{"seq":null,"id":"a"}"#, #"{"seq":1}"#, "[]"] {
            #expect(throws: (any Error).self) { try RemoteRow(Array(bad.utf8)[...]) }
        }
    }

    @Test("Feed requests equal those of Couchbase Lite 1.4")
    func requests() throws {
        var settings = ReplicationSettings()
        let plain = ChangesRequest(.normal, since: nil, settings: settings)
        // As captured from Couchbase Lite for Java 1.4.4.
        #expect(plain.path(isPosted: true, namesParameters: false) == "_changes?feed=normal&heartbeat=30000&style=all_docs")
        #expect(String(decoding: plain.json(), as: UTF8.self) == #"{"feed":"normal","heartbeat":30000,"style":"all_docs"}"#)
        settings.channels = ["a", "b c"]
        let channels = ChangesRequest(.longpoll, since: OpaqueSequence("12"), settings: settings)
        #expect(
            channels.path(isPosted: false, namesParameters: true)
                == "_changes?feed=longpoll&heartbeat=30000&style=all_docs&since=12&filter=sync_gateway%2Fbychannel&channels=a%2Cb%20c")
        #expect(
            String(decoding: channels.json(), as: UTF8.self)
                == #"{"feed":"longpoll","heartbeat":30000,"style":"all_docs","since":12,"filter":"sync_gateway/bychannel","channels":"a,b c"}"#
        )
        settings = ReplicationSettings()
        settings.documentIDs = ["x/y", "z"]
        let ids = ChangesRequest(.normal, since: nil, settings: settings)
        #expect(ids.path(isPosted: false, namesParameters: true).hasSuffix("&filter=_doc_ids&doc_ids=%5B%22x%2Fy%22%2C%22z%22%5D"))
        #expect(try JSONValue(ids.json())["doc_ids"] == .array([.string("x/y"), .string("z")]))
        settings = ReplicationSettings()
        settings.filter = "app/byYear"
        settings.filterParams = ["year": .number("2015"), "feed": .string("evil")]
        let request = ChangesRequest(.normal, since: nil, settings: settings)
        // CouchDB reads a filter's parameters only from the query, also of a POST.
        #expect(request.path(isPosted: true, namesParameters: true).hasSuffix("&filter=app%2FbyYear&year=2015"))
        let filter = try JSONValue(request.json())
        #expect(filter["filter"] == .string("app/byYear") && filter["year"] == .number("2015") && filter["feed"] == .string("normal"))
    }
}
