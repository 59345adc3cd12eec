/// How attachments lie in the database: in parts of one size, so that no more than a part is ever in memory.
enum AttachmentLayout {
    /// The bits of a part's number in its position.
    static let partBits: Int64 = 20

    /// Bytes of every part but the last.
    static var partSize: Int { AttachmentRecord.partSize }

    static var maximumParts: Int { 1 << partBits }

    /// The position of a part.
    static func position(_ key: Int64, part: Int) -> Int64 { key << partBits + Int64(part) }
}
