import Documents
import TestSupport
import Testing

@Suite("Parsed documents")
struct ParsedDocumentTests {
    private func parse(_ json: String, _ policy: DocumentPolicy = .legacy) throws -> ParsedDocument {
        try ParsedDocument(bytes(json), policy: policy)
    }

    @Test("Metadata and body are separated")
    func legacy() throws {
        let document = try parse(
            #"""
            {"_id":"d","a":1,"_rev":"2-b","b":[ 1 ],"_deleted":true,"_revisions":{"start":2,"ids":["b","a"]},"_attachments":{"x":{}},"_exp":3600,"_removed":true,"c":"_id"}
            """#)
        #expect(document.id == "d")
        #expect(document.revision?.text == "2-b")
        #expect(document.history?.map(\.text) == ["2-b", "1-a"])
        #expect(document.isDeleted)
        #expect(document.isRemoved)
        #expect(document.attachments.map { text($0) } == #"{"x":{}}"#)
        #expect(document.expiry.map { text($0) } == "3600")
        #expect(text(document.body) == #"{"a":1,"b":[ 1 ],"c":"_id"}"#)
    }

    @Test(
        "The body's bytes are unchanged",
        arguments: [
            #"{"a":1.0,"b":1e400,"c":12345678901234567890,"d":"\u00e9\/\ud83d\ude00","z":0,"a2":-0}"#, #"{ "x" : [ 1 , 2 ] , "y":{ } }"#,
            "{}",
            #"{"\u0061":"\u0061","é":"😀","lone":"\ud800","nested":{"_id":1,"_id":2}}"#,
        ])
    func untouched(json: String) throws {
        #expect(text(try parse(json).body) == json)
        let inner = json.dropFirst().dropLast()
        let members = text(DocumentBody.members(of: bytes(json)))
        let withMetadata = inner.isEmpty ? #"{"_id":"d"}"# : "{\"_id\":\"d\",\(inner),\"\\u005frev\":\"1-a\"}"
        #expect(text(DocumentBody.members(of: try parse(withMetadata).body)) == members)
    }

    @Test("Members around removed metadata are joined", arguments: 0..<40 as Range<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let metadata = [#""_id":"d""#, #""_rev":"1-a""#, #""_attachments":{}"#, #""_local_seq":7"#]
        let members = (0..<Int.random(in: 0...5, using: &generator)).map { #""k\#($0)": "v""# }
        var all = members
        for member in metadata { all.insert(member, at: Int.random(in: 0...all.count, using: &generator)) }
        let document = try parse("{ " + all.joined(separator: ", ") + " }")
        let body = try JSONValue(document.body)
        #expect(body.members?.map(\.key) == (0..<members.count).map { "k\($0)" })
        #expect(document.id == "d")
    }

    @Test("A history that begins one generation below its revision with the same digest is the parent's; any other is malformed")
    func parentsHistory() throws {
        let document = try parse(#"{"_revisions":{"start":2,"ids":["c","a"]},"_rev":"3-c"}"#)
        #expect(document.history?.map(\.text) == ["3-c", "2-c", "1-a"])
        for bad in [#"{"_rev":"3-b","_revisions":{"start":2,"ids":["c"]}}"#, #"{"_rev":"4-c","_revisions":{"start":2,"ids":["c"]}}"#] {
            #expect(code { _ = try parse(bad) } == .badRevisions)
        }
    }

    @Test(
        "Malformed documents have their error codes",
        arguments: [
            (#"{"_foo":1}"#, DocumentError.Code.reservedProperty), (#"{"_sync":1}"#, .reservedProperty),
            (#"{"\u005ffoo":1}"#, .reservedProperty),
            (#"{"_rev":"1-a","_rev":"1-a"}"#, .duplicateKey), (#"{"_id":"a","\u005fid":"b"}"#, .duplicateKey), (#"{"type":"#, .badJSON),
            ("[]", .badJSON),
            ("1", .badJSON), ("", .badJSON), (#"{"a":1}x"#, .badJSON), (#"{"_id":1}"#, .badDocumentID), (#"{"_rev":1}"#, .badRevisionID),
            (#"{"_rev":"nonsense"}"#, .badRevisionID), (#"{"_rev":"2-b","_revisions":{"start":2,"ids":["c"]}}"#, .badRevisions),
            (#"{"_revisions":1}"#, .badRevisions), (#"{"_deleted":"yes"}"#, .badJSON), (#"{"_id":"\ud800"}"#, .badJSON),
        ])
    func faults(json: String, expected: DocumentError.Code) {
        #expect(code { _ = try parse(json) } == expected)
    }

    @Test(
        "Of a repeated member the last one is kept, whatever its spelling",
        arguments: [
            (#"{"a":1,"a":2}"#, #"{"a":2}"#),
            (#"{"a":1, "b":[{}] ,"\u0061":{"x":1},"_id":"d","c":3}"#, #"{"b":[{}],"\u0061":{"x":1},"c":3}"#),
            (#"{"_id":"d","a":1,"b":2,"a":1,"a":3}"#, #"{"b":2,"a":3}"#), (#"{"":1,"":2}"#, #"{"":2}"#),
            (#"{"o":{"a":1,"a":2}}"#, #"{"o":{"a":1,"a":2}}"#),
        ])
    func repeated(json: String, body: String) throws {
        for policy in [DocumentPolicy.legacy, .modern] where policy == .legacy || !json.contains("_id") {
            #expect(text(try parse(json, policy).body) == body)
        }
        #expect(code { _ = try parse(json, .legacyUpstream) } == (json.hasPrefix("{\"o\"") ? nil : .duplicateKey))
    }

    @Test("Size and depth have limits")
    func limits() {
        let limits = DocumentLimits(maximumSize: 10, maximumDepth: 2)
        #expect(code { _ = try ParsedDocument(bytes(#"{"a":1}"#), policy: .legacy, limits: limits) } == nil)
        #expect(code { _ = try ParsedDocument(bytes(#"{"a":12345}"#), policy: .legacy, limits: limits) } == .tooLarge)
        #expect(code { _ = try ParsedDocument(bytes(#"{"a":[[]]}"#), policy: .legacy, limits: limits) } == .tooDeep)
    }

    @Test("Null and empty metadata count as absent, and _revisions alone gives the revision")
    func absent() throws {
        let document = try parse(#"{"_id":null,"_rev":"","_deleted":null,"_revisions":null}"#)
        #expect(document == ParsedDocument())
        #expect(try parse(#"{"_revisions":{"start":2,"ids":["b"]}}"#).revision?.text == "2-b")
    }

    @Test("A body of BLIP may have attachments and unknown properties, and no metadata of the message")
    func modern() throws {
        let document = try parse(#"{"_attachments":{},"_exp":1,"_mine":2,"a":3}"#, .modern)
        #expect(text(document.body) == #"{"_mine":2,"a":3}"#)
        #expect(document.attachments != nil)
        for key in ["_id", "_rev", "_deleted", "_revisions", "_sync", "_removed", "_purged"] {
            #expect(code { _ = try parse("{\"\(key)\":1}", .modern) } == .reservedProperty)
        }
    }

    @Test("Properties that an upstream allowed its users are kept")
    func upstream() throws {
        #expect(text(try parse(#"{"_id":"a","_mine":2}"#, .legacyUpstream).body) == #"{"_mine":2}"#)
    }

    @Test("After an invalid document the next one can be read")
    func recovery() throws {
        var results: [String] = []
        try JSONReader.read(
            bytes(#"[{"_id":"a"},{"_id":"b","_foo":{"x":[1]}},{"_id":"x","a":2,"_id":"x"},7,{"_revisions":[]},{"_id":"c"}]"#)
        ) { reader in
            try reader.array { element in
                do {
                    results.append(try ParsedDocument(reading: &element, policy: .legacy).id ?? "none")
                } catch let error as DocumentError {
                    results.append("\(error.code)")
                }
            }
        }
        #expect(results == ["a", "reservedProperty", "duplicateKey", "badJSON", "badRevisions", "c"])
    }

    @Test("Scalar properties are found without a tree")
    func properties() throws {
        let document = try parse(#"{"type":"order","n":1.50,"t":true,"o":{"type":"x"},"\u0078":null}"#)
        #expect(document.property(named: "type") == .string("order"))
        #expect(document.property(named: "n") == .number("1.50"))
        #expect(document.property(named: "t") == .bool(true))
        #expect(document.property(named: "x") == .null)
        #expect(document.property(named: "o") == nil)
        #expect(document.property(named: "missing") == nil)
    }
}
