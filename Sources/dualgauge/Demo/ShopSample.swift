import Crypto
import Documents

/// The sample shop: the documents of many 1.x apps in one flat keyspace. Every run creates the same documents.
struct ShopSample {
    private var random = SplitMix64(seed: 20_140_514)
    private var revisions: [SampleRevision] = []

    /// All leaf revisions, in the order in which a client pushes them.
    static func make() -> [SampleRevision] {
        var sample = ShopSample()
        sample.addOrders(1800)
        sample.addCustomers(700)
        sample.addProducts(350)
        sample.addNotes(120)
        sample.addAwkwardIDs()
        sample.addAttachments()
        return sample.revisions
    }

    private mutating func addOrders(_ count: Int) {
        for number in 1...count {
            let id = "order-\(String(number, radix: 36))-\(hex(4))"
            let body = """
                {"type":"order","number":\(number),"customer":"customer::\(Int.random(in: 1...700, using: &random))",\
                "total":\(Int.random(in: 100...99_999, using: &random)).\(Int.random(in: 0...9, using: &random))0,\
                "paid":\(Bool.random(using: &random)),"lines":[{"sku":"P-\(Int.random(in: 1...350, using: &random))","qty":\(Int.random(in: 1...9, using: &random))}],\
                "note":"\(text(Int.random(in: 0...12, using: &random)))"}
                """
            // Most orders have a few revisions; some have the long history of a busy year.
            let depth = number % 60 == 0 ? Int.random(in: 40...60, using: &random) : Int.random(in: 1...5, using: &random)
            if number % 15 == 0 {
                add(id, depth: depth, body: "{}", isDeleted: true)
            } else if number % 90 == 1 {
                addConflict(id, body: body)
            } else {
                add(id, depth: depth, body: body)
            }
        }
    }

    private mutating func addCustomers(_ count: Int) {
        for number in 1...count {
            let body = """
                {"name":"\(name())","since":"20\(Int.random(in: 10...17, using: &random))-0\(Int.random(in: 1...9, using: &random))-01",\
                "balance":\(Int.random(in: -5000...5000, using: &random)),"tags":["\(text(1))","\(text(1))"]}
                """
            add("customer::\(number)", depth: Int.random(in: 1...3, using: &random), body: body)
        }
    }

    private mutating func addProducts(_ count: Int) {
        for number in 1...count {
            let body =
                #"{"sku":"P-\#(number)","price":\#(Int.random(in: 1...500, using: &random)).50,"stock":\#(Int.random(in: 0...90, using: &random)),"title":"\#(text(3))"}"#
            add("P-\(number)", depth: Int.random(in: 1...4, using: &random), body: body)
        }
    }

    /// Documents that match no route: settings, notes, and numbers that an inexact parser would change.
    private mutating func addNotes(_ count: Int) {
        for number in 1...count {
            let odd = [#""a":1.0"#, #""big":12345678901234567890"#, #""huge":1e400"#, #""accents":"\u00e9\ud83d\ude00""#][number % 4]
            add("note-\(number)", depth: 1, body: #"{"text":"\#(text(6))",\#(odd)}"#)
        }
    }

    private mutating func addAwkwardIDs() {
        let ids = [
            "a/b/c", "plus+plus", "percent%20sign", "space in the middle", "ünïcødé", "emoji-😀-🚂", "question?mark", "hash#tag",
            "amp&ersand",
            "quote\"quote", "back\\slash", "colon:colon", "semi;colon", "brackets[1]", "at@sign", "equals=sign", "tilde~", "1-abc",
            String(repeating: "x", count: 200),
        ]
        for id in ids {
            add(id, depth: 2, body: #"{"type":"order","awkward":true}"#)
        }
        for id in ["customer::a/b", "customer::ü+%"] {
            add(id, depth: 1, body: #"{"name":"\#(name())"}"#)
        }
    }

    private mutating func addAttachments() {
        let sizes = [1, 2, 200, 201, 2047, 2048, 70_000, 262_144, 1_000_000, 10_000_000]
        for (index, size) in sizes.enumerated() {
            let attachment = SampleAttachment(name: "scan \(index).bin", contentType: "application/octet-stream", bytes: bytes(size))
            add("invoice-\(index)", depth: index % 3 + 1, body: #"{"type":"order","invoice":\#(index)}"#, attachments: [attachment])
        }
        for number in 1...40 {
            let photo = SampleAttachment(
                name: "photo.png", contentType: "image/png", bytes: bytes(Int.random(in: 300...6000, using: &random)))
            let notes = SampleAttachment(name: "notes/today.txt", contentType: "text/plain", bytes: Array(text(20).utf8))
            add("customer::photo-\(number)", depth: 2, body: #"{"name":"\#(name())"}"#, attachments: [photo, notes])
        }
    }

    private mutating func add(
        _ id: String, depth: Int, body: String, isDeleted: Bool = false, attachments: [SampleAttachment] = []
    ) {
        let history = (1...depth).reversed().compactMap { RevisionID("\($0)-\(digest("\(id) \($0)"))") }
        revisions.append(
            SampleRevision(id: id, history: history, isDeleted: isDeleted, body: Array(body.utf8), attachments: attachments))
    }

    /// A conflict: two devices edit the same revision while they are offline.
    private mutating func addConflict(_ id: String, body: String) {
        add(id, depth: 3, body: body)
        let fork = ["3-\(digest("\(id) other"))", "2-\(digest("\(id) 2"))", "1-\(digest("\(id) 1"))"].compactMap { RevisionID($0) }
        revisions.append(
            SampleRevision(
                id: id, history: fork, isDeleted: false, body: Array(#"{"type":"order","edited":"elsewhere"}"#.utf8), attachments: []))
    }

    /// 32 hex digits, the form of revision digests of Couchbase Lite 1.x.
    private func digest(_ text: String) -> String {
        Hex.text(Insecure.MD5.hash(data: Array(text.utf8)))
    }

    private mutating func hex(_ digits: Int) -> String {
        (0..<digits).map { _ in String(Int.random(in: 0...15, using: &random), radix: 16) }.joined()
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: random.next().littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    private static let words = [
        "rail", "gauge", "Straße", "café", "señor", "東京", "wheel", "timber", "steam", "points", "signal", "ballast", "sleeper", "Ærø",
    ]

    private mutating func text(_ count: Int) -> String {
        (0..<max(0, count)).map { _ in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }.joined(separator: " ")
    }

    private mutating func name() -> String {
        let first = ["Ada", "Bjørn", "Chloé", "Dmitri", "Eun-ji", "Fatima", "Günther", "Zoë"]
        let last = ["Åkesson", "Brunel", "Castañeda", "Dubois", "Eßer", "Fox"]
        return "\(first[Int.random(in: 0..<first.count, using: &random)]) \(last[Int.random(in: 0..<last.count, using: &random)])"
    }
}

/// A leaf revision of a sample document, as a 1.x client pushes it.
struct SampleRevision: Sendable {
    let id: String

    /// The revision IDs, newest first, including the revision itself.
    let history: [RevisionID]
    let isDeleted: Bool

    /// The body as a JSON object, without reserved properties.
    let body: [UInt8]
    let attachments: [SampleAttachment]
}

/// An attachment of a sample document.
struct SampleAttachment: Sendable {
    let name: String
    let contentType: String
    let bytes: [UInt8]
}
