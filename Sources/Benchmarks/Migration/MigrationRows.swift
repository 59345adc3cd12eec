import Documents
import Soak

/// The documents of a migrated database, the same in every run: IDs in random order, bodies of about 300 bytes, every second document with the
/// revision before its last one, and attachments spread evenly.
struct MigrationRows: Sendable {
    struct Row: Sendable {
        let id: String

        /// Revisions, newest first.
        let revisions: [Revision]
        let attachment: Attachment?
    }

    struct Revision: Sendable {
        let id: RevisionID

        /// Its members without the braces.
        let members: String
    }

    struct Attachment: Sendable {
        let digest: AttachmentDigest
        let bytes: [UInt8]

        /// The entry in a body of a 1.x database.
        var stub: String { member(#""digest":"\#(digest)","length":\#(bytes.count),"stub":true"#) }

        /// The entry in a dump.
        var inline: String { member(#""data":"\#(Base64.encode(bytes))""#) }

        private func member(_ members: String) -> String {
            #""_attachments":{"file":{"content_type":"image/png","revpos":1,\#(members)}}"#
        }
    }

    private static let usualAttachment = 2 << 10

    /// Size of every thousandth attachment, which is more than a migration buffers in memory.
    private static let largeAttachment = 256 << 10

    let documents: Int
    let attachments: Int

    init(documents: Int, attachments: Int) {
        self.documents = documents
        self.attachments = min(attachments, documents)
    }

    /// Rows in batches, generated on demand, because a million rows would take more memory than the measured program.
    func batches(_ size: Int) -> some Sequence<[Row]> {
        stride(from: 0, to: documents, by: size).lazy.map { start in (start..<min(start + size, documents)).map(row) }
    }

    /// - Parameter number: Index from 0.
    private func row(_ number: Int) -> Row {
        var random = SeededNumbers(UInt64(number) &* 0x1_0001 &+ 42)
        var revisions = [revision(number, generation: 1, &random)]
        if number % 2 == 1 { revisions.insert(revision(number, generation: 2, &random), at: 0) }
        return Row(id: "\(random.hex(8))-\(number)", revisions: revisions.compactMap { $0 }, attachment: attachment(number, &random))
    }

    private func revision(_ number: Int, generation: Int, _ random: inout SeededNumbers) -> Revision? {
        let members = """
            "type":"order","number":\(number),"region":"eu","customer":"customer::\(random.next() % 10_000)","total":\(random.next() % 100_000).50,\
            "paid":\(generation > 1),"lines":[{"sku":"\(random.hex(6))","qty":\(random.next() % 9)}],"note":"\(random.hex(100))"
            """
        return RevisionID("\(generation)-\(random.hex(32))").map { Revision(id: $0, members: members) }
    }

    private func attachment(_ number: Int, _ random: inout SeededNumbers) -> Attachment? {
        guard attachments > 0, number * attachments / documents != (number + 1) * attachments / documents else { return nil }
        let size = (number * attachments / documents) % 1_000 == 999 ? Self.largeAttachment : Self.usualAttachment
        let bytes = (0..<size / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        return Attachment(digest: .sha1(of: bytes), bytes: bytes)
    }
}
