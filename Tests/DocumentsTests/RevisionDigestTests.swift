import Documents
import Testing

@Suite("Digests of new revisions")
struct RevisionDigestTests {
    @Test(
        "IDs equal those of Sync Gateway 2.8.4 and of its test suites",
        arguments: [
            (nil, #"{"type":"note","n":1,"channels":["a"]}"#, "1-61118a3ab2f57da9e7a814428e31afe1"),
            ("1-61118a3ab2f57da9e7a814428e31afe1", #"{"type":"note","n":2,"channels":["a"]}"#, "2-d7cac0c1ba7e5207200ee9509b4913ab"),
            ("2-d7cac0c1ba7e5207200ee9509b4913ab", #"{"type":"note","n":3}"#, "3-9d413a7c0a1cb83a4873f4fcf971338a"),
            (nil, #"{"foo":1}"#, "1-6e01ac52ffd5ce6a4f7f4024c08d296f"), (nil, #"{"v":1}"#, "1-7872796cf808575a89b75936e3d04bc5"),
            (nil, #"{"v":2}"#, "1-c8053880f322ac2fb5aa2988d2b9f313"), (nil, "{}", "1-ca9ad22802b66f662ff171f226211d5c"),
            ("1-1111", #"{"count":2}"#, "2-c5557c751fcbfe4cd1f7221085d9ff70"),
            (nil, #"{ "b":"x", "a":1 }"#, "1-3f3a5a95c7e550c319eab8c3179b60b2"),
            ("1-3f3a5a95c7e550c319eab8c3179b60b2", #"{"a":2,"b":"x"}"#, "2-121eaf6b3d83be161c0308c83610f89e"),
        ] as [(String?, String, String)])
    func syncGateway(parent: String?, body: String, expected: String) throws {
        let id = try RevisionDigest.syncGateway(parent: parent.map { try revision($0) }, body: bytes(body), isDeleted: false)
        #expect(id.text == expected)
    }

    @Test("Tombstone IDs equal Sync Gateway's")
    func syncGatewayTombstones() throws {
        let deleted = try RevisionDigest.syncGateway(parent: revision("1-a1"), body: bytes("{}"), isDeleted: true)
        #expect(deleted.text == "2-d28862a4c2d6acec6e80ccd747de0289")
        let reference = try RevisionDigest.syncGateway(
            parent: revision("1-3f3a5a95c7e550c319eab8c3179b60b2"), body: bytes("{}"), isDeleted: true)
        #expect(reference.text == "2-a80558357e2e6c533550fee9d3f35b9a")
        // The member is inserted in the order of the keys.
        let first = try RevisionDigest.syncGateway(parent: nil, body: bytes(#"{"a":1,"Z":2}"#), isDeleted: true)
        let second = try RevisionDigest.syncGateway(parent: nil, body: bytes(#"{"Z":2,"_deleted":true,"a":1}"#), isDeleted: false)
        #expect(first == second)
    }

    @Test("IDs equal LiteCore's in the reference")
    func liteCore() throws {
        let first = try RevisionDigest.liteCore(parent: nil, body: bytes(#"{"b":"x","a":1}"#), isDeleted: false)
        #expect(first.text == "1-8ae990b5343385d6ec184e830e527930590314c7")
        let second = try RevisionDigest.liteCore(parent: first, body: bytes(#"{"a":2,"b":"x"}"#), isDeleted: false)
        #expect(second.text == "2-296aab46ab1aad04bf44566e7d9984d0e3f9cf36")
        let tombstone = try RevisionDigest.liteCore(parent: first, body: bytes("{}"), isDeleted: true)
        #expect(tombstone.text == "2-47f959e15c2deb980dfb48fe727e5caa1229ee33")
    }

    @Test("The last generation has no child, and a body must be JSON")
    func faults() throws {
        #expect(
            code { _ = try RevisionDigest.syncGateway(parent: revision("9007199254740991-aa"), body: bytes("{}"), isDeleted: false) }
                == .badRevisionID)
        #expect(code { _ = try RevisionDigest.liteCore(parent: nil, body: bytes("{"), isDeleted: false) } == .badJSON)
    }

    @Test("Canonical JSON sorts by bytes at every depth, keeps numbers, and escapes strings as each product does")
    func canonical() throws {
        func encode(_ json: String, _ style: CanonicalJSON.Style) throws -> String {
            text(try CanonicalJSON.encode(bytes(json), style: style))
        }
        let json = #" { "é":1.0, "b" : [ {"z":1e400,"a":-0} , "x" ], "a":{"y":{},"x":[]}, "B":null, "a\u0000":true } "#
        let sorted = "{\"B\":null,\"a\":{\"x\":[],\"y\":{}},\"a\\u0000\":true,\"b\":[{\"a\":-0,\"z\":1e400},\"x\"],\"é\":1.0}"
        #expect(try encode(json, .syncGateway) == sorted)
        #expect(try encode(json, .liteCore) == sorted)
        let strings = #"["<>&\u2028\u2029\/","\b\f\n\r\t\u001f\u007f","\ud83d\ude00€\"\\","\ud800x"]"#
        #expect(
            try encode(strings, .syncGateway)
                == "[\"\\u003c\\u003e\\u0026\\u2028\\u2029/\",\"\\u0008\\u000c\\n\\r\\t\\u001f\u{7f}\",\"😀€\\\"\\\\\",\"\u{fffd}x\"]")
        #expect(
            try encode(String(strings.dropLast(11)) + "]", .liteCore)
                == "[\"<>&\u{2028}\u{2029}/\",\"\\u0008\\u000c\\n\\r\\t\\u001f\\u007f\",\"😀€\\\"\\\\\"]")
        #expect(try encode(#"{"a":1,"b":2,"a":3}"#, .syncGateway) == #"{"a":3,"b":2}"#)
    }
}
