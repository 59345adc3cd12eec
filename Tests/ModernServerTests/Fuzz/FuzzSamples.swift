import BLIP
import Documents
import TestSupport

/// Clients' messages as text that can be damaged: the profile, one line per property, an empty line, the body.
enum FuzzSamples {
    static let blob = Array("the content of a blob".utf8)
    private static let digest = AttachmentDigest.sha1(of: blob).description
    private static let version = "18e9f0cc68800001@BOA02SKaSYC0d/vOEWw0Ew"
    private static let other = "18e9f0cc328d0000@mKxrSwhrWi9HZ3sV54bZug"

    /// Requests of a client.
    static let requests = [
        "getCheckpoint\nclient: cp-dKI0craidCzsywBKbtWiuBe9Kkw=\n\n",
        "setCheckpoint\nclient: cp-a\nrev: \n\n{\"time\":1795227393,\"local\":3,\"remote\":\"100:35\",\"localCompleted\":[0,58,60,3]}",
        "setCheckpoint\nclient: cp-a\nrev: 0-1\n\n{}",
        "subChanges\nbatch: 200\nsendReplacementRevs: 1\nversioning: rev-trees\nactiveOnly: true\nrevocations: true\nsince: 3\n\n",
        "subChanges\ncontinuous: true\nfilter: sync_gateway/bychannel\nchannels: a,b\nsince: \"1:2\"\n\n{\"docIDs\":[\"a\",\"b\"]}",
        "subChanges\nbatch: 10\nversioning: version-vectors\nsince: \"20::35\"\n\n",
        "unsubChanges\n\n",
        "proposeChanges\nconflictIncludesRev: true\n\n[[\"a\",\"2-bb\",\"1-aa\",57],[\"b\",\"1-dd\",\"\",120],[\"c\",\"1-ee\"]]",
        "proposeChanges\n\n[[\"a\",\"\(version); \(other)\",\"\(other)\",8],[\"b\",\"\(version)\"],[\"c\",\"2-6af9\",\"1-6b1c\"]]",
        "proposeChanges\n\n[]", "changes\n\nnull",
        "changes\n\n[[1,\"a\",\"1-aa\",0,8]]",
        "rev\nid: a\nrev: 2-bb\nsequence: 12\nhistory: 1-aa\nnoconflicts: 1\n\n{\"n\":1,\"x\":[1.50,{\"é\":null}]}",
        "rev\nid: b\nrev: 1-dd\nsequence: 13\n\n{\"n\":2}", "rev\nid: a\nrev: 3-cc\ndeleted: 1\nhistory: 2-bb,1-aa\n\n{}",
        "rev\nid: a\nrev: \(version)\nhistory: \(other), 1-aa\nsequence: 5\n\n{\"_exp\":3600}",
        "rev\nid: d\nrev: \(version)\nhistory: \(other),18e9f0cc34b70000@oLc6SKaSYC0d/vOEWw0EwA;\n\n{}",
        "rev\nid: a\nrev: 3-ee\nhistory: 2-bb\ndeltaSrc: 2-bb\n\n{\"n\":[],\"x\":{\"0\":2,\"1-\":[3]},\"s\":[\"4=1-1+d|31=\",0,2]}",
        "rev\nid: p\nrev: 1-ab\n\n{\"p\":{\"@type\":\"blob\",\"digest\":\"\(digest)\",\"length\":\(blob.count)},\"_attachments\":"
            + "{\"blob_/p\":{\"digest\":\"\(digest)\",\"length\":\(blob.count),\"stub\":true,\"revpos\":1,\"content_type\":\"text/plain\"}}}",
        "rev\nid: q\nrev: 1-ab\n\n{\"_attachments\":{\"t\":{\"data\":\"aGVsbG8=\",\"content_type\":\"text/plain\"}}}",
        "norev\nid: a\nrev: 1-aa\nsequence: 12\nerror: 404\nreason: missing\n\n",
        "getAttachment\ndigest: \(digest)\ndocID: p\ncompress: true\n\n", "proveAttachment\ndigest: \(digest)\ndocID: p\n\nnonce",
        "getCollections\nuuid: 04e034d9-229a-4980-b477-fbce116c3413\n\n"
            + "{\"checkpoint_ids\":[\"cp-a\",\"cp-b\"],\"collections\":[\"_default\",\"sales.orders\"]}",
        "getRev\nid: a\n\n", "PING\n\n",
    ]

    /// Replies of a client to `changes`.
    static let answers = [
        "maxHistory: 50\nblobs: true\ndeltas: true\n\n[[],[\"1-aa\"],0,[\"\(version)\",\"\(other)\"]]", "\n[]", "\nnull",
        "maxHistory: -1\n\n[[]]",
        "deltas: true\n\n[[\"2-bb\",\"1-aa\"],[\"2-bb\"],[],[],[]]",
    ]

    static let tokens = [
        "\n", "\n\n", ": ", "\\u0000", "\\ud800", "\"", "{", "}", "[", "]", ",", "null", "1e999", "-1", "99999999999999999999",
        "collection: 0\n",
        "collection: 1\n", "collection: 99\n", "deltaSrc: \(version)\n", "deltaSrc: 1-aa\n", "\"_attachments\":{", "\"_removed\":true,",
        ";", "@",
        "1-abc", "_design/", "\u{e9}", String(repeating: "[", count: 600), String(repeating: "x", count: 300),
    ]

    /// Reads the text of a request; `nil` if a property cannot be sent.
    static func request(_ text: [UInt8], collection: Int?) -> BLIPMessage {
        let lines = text.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
        var (properties, body) = content(lines.count > 1 ? lines[1] : [])
        if let collection, properties["collection"] == nil { properties.add("collection", String(collection)) }
        return .request(string(lines[0]), properties: properties, body: body, isCompressed: body.count % 2 == 0)
    }

    /// Reads the text of a reply.
    static func reply(_ text: [UInt8], to number: UInt64) -> BLIPMessage {
        let (properties, body) = content(text[...])
        return .reply(to: number, properties: properties, body: body, isCompressed: body.count % 2 == 0)
    }

    private static func content(_ text: ArraySlice<UInt8>) -> (BLIPProperties, [UInt8]) {
        var properties: [String: String] = [:]
        var rest = text
        while let end = rest.firstIndex(of: 0x0a) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard !line.isEmpty else { break }
            let colon = line.firstIndex(of: 0x3a) ?? line.endIndex
            let key = string(line[..<colon])
            guard key != "Profile" else { continue }
            properties[key] = string(line[colon...].dropFirst(2))
        }
        var list = BLIPProperties()
        for (key, value) in properties.sorted(by: { $0.key < $1.key }).prefix(40) { list.add(key, value) }
        return (list, Array(rest))
    }

    /// The bytes as a text that a message can carry.
    private static func string(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
    }
}
