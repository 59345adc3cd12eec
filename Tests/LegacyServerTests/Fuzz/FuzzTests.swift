import Documents
import Gateway
import HTTP
import HTTPTypes
import NIOCore
import Storage
import TestSupport
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

/// Sends damaged input to the parsers: no input crashes them, hangs them or makes them grow, and accepted input is consistent. `make fuzz`
/// sends millions of inputs.
@Suite("Fuzzing", .timeLimit(.minutes(600)))
struct FuzzTests {
    private static let documents = [
        #"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"n":[1,-2.5e10,"x\u00e9\n",null,true,{"é":""}]}"#,
        #"{"_id":"_design/x","_deleted":true,"_attachments":{"t.txt":{"stub":true,"revpos":1,"digest":"sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc="}}}"#,
        #"{"_attachments":{"t":{"data":"aGVsbG8=","content_type":"text/plain","encoding":"gzip","encoded_length":5}},"_exp":3600}"#, "{}",
        #"[[[[]]],[{"a":{"b":[]}}]]"#, "\u{feff}null", "1e400",
    ]
    private static let jsonTokens = [
        "\\u0000", "\\ud800", "\"", "{", "}", "[", "]", ",", ":", "null", "1e999", "-0", "00", "\\", "\n", "\u{0}", "\"_rev\":",
        "\"_removed\":true,",
        String(repeating: "[", count: 600),
    ]

    @Test("JSON that one reader accepts is accepted by the other, and is unchanged when it is written again")
    func json() throws {
        for input in FuzzInputs(Self.documents, tokens: Self.jsonTokens) {
            guard let value = try? JSONValue(input) else { continue }
            var written: [UInt8] = []
            value.append(to: &written)
            #expect(try JSONValue(written) == value, "\(String(decoding: input, as: UTF8.self))")
            _ = try JSONReader.read(input) { try $0.skip() }
        }
    }

    @Test("An accepted document has a JSON body without metadata, and its attachments can be written again")
    func documents() throws {
        for input in FuzzInputs(Self.documents, tokens: Self.jsonTokens) {
            guard let document = try? ParsedDocument(input, policy: .legacy) else { continue }
            // The body is read as a document: a body may have a lone surrogate, which a JSONValue refuses.
            let again = try ParsedDocument(document.body, policy: .legacy)
            #expect(again.body == document.body && again.id == nil && again.revision == nil && again.attachments == nil && !again.isDeleted)
            guard let json = document.attachments, let set = try? AttachmentSet(json) else { continue }
            var written: [UInt8] = []
            set.append(to: &written) { _ in .stub }
            _ = try JSONReader.read(written) { try $0.skip() }
            for entry in set.entries { _ = try? entry.inlineData() }
        }
    }

    private static let multipart = [
        "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nContent-Disposition: attachment; filename=\"x.txt\"\r\n\r\nabc\r\n--b--",
        "\r\n--b\r\n\r\n\r\n--b--\r\n", "preamble\r\n--b \t\r\nA:b\r\nC: d\r\n e\r\n\r\n--bb\r\n-\r\n--b--epilogue", "--b--",
    ]
    private static let multipartTokens = [
        "\r\n--b\r\n", "\r\n--b--", "\r\n", "\n", "\r", "--", "--b", "\r\n\r\n", "Content-Type: multipart/related; boundary=\"x",
        String(repeating: "A: b\r\n", count: 80), String(repeating: "-", count: 300),
    ]

    @Test("A multipart body in pieces is read as in one piece, and has no more bytes than the input")
    func multipart() throws {
        var inputs = FuzzInputs(Self.multipart, tokens: Self.multipartTokens)
        while let input = inputs.next() {
            let whole = Self.read([input[...]])
            var pieces: [ArraySlice<UInt8>] = []
            var rest = input[...]
            while !rest.isEmpty {
                let count = min(rest.count, inputs.choice(1..<9))
                pieces.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            let inPieces = Self.read(pieces)
            #expect(whole == inPieces, "\(String(decoding: input, as: UTF8.self))")
            #expect(whole.parts.reduce(0) { $0 + $1.count } <= input.count)
        }
    }

    private struct Reading: Equatable {
        var parts: [[UInt8]] = []
        var headers: [PartHeaders] = []
        var isWhole = false
    }

    private static func read(_ pieces: [ArraySlice<UInt8>]) -> Reading {
        var reading = Reading()
        guard let boundary = try? MultipartBoundary(contentType: MediaType("multipart/related; boundary=b")) else { return reading }
        var parser = MultipartParser(boundary: boundary)
        do {
            for piece in pieces {
                for event in try parser.consume(piece) {
                    switch event {
                    case .partBegan(let headers):
                        reading.headers.append(headers)
                        reading.parts.append([])
                        _ = (headers.contentType, headers.filename, headers.contentEncoding, headers.contentLength, headers.contentID)
                    case .partBody(let bytes): reading.parts[reading.parts.count - 1] += bytes
                    case .partEnded, .finished: break
                    }
                }
            }
            try parser.finish()
            reading.isWhole = true
        } catch {
            // Where a body breaks off, the last part may have been read more or less far.
            return Reading()
        }
        return reading
    }

    private static let queries = [
        "feed=longpoll&heartbeat=300000&style=all_docs&since=12&limit=10&active_only=true", "filter=sync_gateway/bychannel&channels=a%2Cb",
        "filter=_doc_ids&doc_ids=%5B%22a%22%5D", "since=%2212-g1AAAA%22&timeout=10000&descending=true", "since=2::5&include_docs=true",
        "since=[12,%22x%22]", "feed=eventsource&heartbeat=true", "filter=app/byOwner&owner=Wal%64o+x&n=1", "since=now",
        "since=1000000001:7",
    ]
    private static let bodies = [
        #"{"feed":"normal","since":12,"limit":"5","style":"all_docs","accept_encoding":"gzip"}"#,
        #"{"doc_ids":["a","b"],"filter":"_doc_ids"}"#,
        #"{"filter":"_selector","selector":{"$or":[{"a":{"$gt":1}},{"b.c":{"$in":[1,null]}}]}}"#, "{}", "",
        #"{"since":"1:2:3","heartbeat":25000,"channels":"a,b"}"#,
    ]
    private static let queryTokens = [
        "&", "=", "%", "%00", "+", "since=", "limit=-1", "limit=99999999999999999999", "%ff", "[", "]", "\"", "::", ":", "heartbeat=1e9",
        "\u{0}",
        "filter=_selector", "&a=b",
    ]

    @Test("Parameters of _changes are accepted, or refused with 4xx")
    func changes() throws {
        let bodies = FuzzInputs(Self.bodies, tokens: Self.jsonTokens + Self.queryTokens, seed: FuzzInputs.seed + 1)
        for (query, body) in zip(FuzzInputs(Self.queries, tokens: Self.queryTokens), bodies) {
            guard let target = try? RequestTarget("/db/_changes?" + String(decoding: query, as: UTF8.self)) else { continue }
            do {
                let parameters = try ChangesParameters(query: target.query, body: body.count % 2 == 0 ? nil : body)
                let options = try ChangesOptions(parameters, limits: LegacyLimits())
                _ = try SequencePosition.parse(options.since, LocalSequences(origin: .newOrigin, counter: SequenceNumber(1_000_000_005)))
                #expect(options.limit.map { $0 >= 0 } ?? true)
                #expect(options.heartbeat.map { $0 > .zero && $0 <= LegacyLimits().maximumHeartbeat } ?? true)
                if case .selector(let selector) = options.filter { _ = try selector.matches(Array(#"{"_id":"a","a":[1,{"b":2}]}"#.utf8)) }
            } catch {
                let status = LegacyError(translating: error).code.status.code
                #expect(400..<500 ~= status, "\(error)")
            }
            _ = LegacyPath(target, from: 1)
        }
    }

    @Test("Accepted digests and revision IDs are written as they were read")
    func names() {
        let samples = [
            "sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc=", "md5-XUFAKrxLKna5cZ2REBfFkg==", "1-ca9ad22802b66f662ff171f226211d5c", "3-abc",
            "2147483647-0123456789abcdef0123456789abcdef01234567", "12@6zp4IUAVVbzZuPpJnRbKgQ",
        ]
        for input in FuzzInputs(samples, tokens: ["-", "=", "sha1-", "md5-", "0", "/", "\u{0}", "99999999999999999999-"]) {
            let text = String(decoding: input, as: UTF8.self)
            if let digest = AttachmentDigest(text) { #expect(AttachmentDigest(digest.description) == digest) }
            if let revision = RevisionID(text) {
                #expect(revision.text.utf8.elementsEqual(text.utf8))
                #expect(RevisionID(revision.text) == revision)
            }
            _ = try? LegacyCall.revision(text)
        }
    }

    @Test("A tree of random revision histories has one winner and is the same after it was stored")
    func histories() throws {
        let samples = [
            #"{"start":3,"ids":["c","b","a"]}"#, #"{"start":1,"ids":["ca9ad22802b66f662ff171f226211d5c"]}"#, #"{"start":2,"ids":["b"]}"#,
            #"{"ids":["d","b","a"],"start":3,"x":1}"#, #"{"start":4,"ids":["e","c","b","a"]}"#,
        ]
        var tree = RevisionTree()
        var number = 0
        for input in FuzzInputs(samples, tokens: Self.jsonTokens + ["\"start\":", "9", "\"ids\":[", "\"b\","]) {
            number += 1
            guard let history = try? JSONReader.read(input, { try RevisionHistory.read(&$0) }) else { continue }
            guard (try? tree.merge(history, isDeleted: number % 5 == 0)) != nil else { continue }
            let winner = try #require(tree.winner)
            #expect(winner.isLeaf && tree.leaves.first == winner)
            #expect(try RevisionTree(encoded: tree.encoded()) == tree)
            #expect(history.first.map { tree.contains($0) } ?? false)
            if tree.count > 60 { tree = RevisionTree() }
        }
        for input in FuzzInputs(["\u{1}\u{3}abc", "\u{0}"], tokens: ["\u{2}", "\u{7f}\u{7f}"]) { _ = try? RevisionTree(encoded: input) }
    }
}
