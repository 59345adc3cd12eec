/// What is known of an attachment's parts without reading them.
struct AttachmentParts {
    let count: Int64
    let length: Int64

    /// Whether the parts are numbered without gaps and all but the last are full.
    let isComplete: Bool

    init(_ connection: Connection, _ key: Int64) throws {
        let first = AttachmentLayout.position(key, part: 0)
        let size = Int64(AttachmentLayout.partSize)
        var count: Int64 = 0
        var length: Int64 = 0
        var isComplete = true
        try connection.each(
            "SELECT position, length(bytes) FROM attachment_parts WHERE position >= ?1 AND position < ?2 ORDER BY position",
            first, AttachmentLayout.position(key + 1, part: 0)
        ) { row in
            if row.integer(0) != first + count || length != count * size { isComplete = false }
            count += 1
            length += row.integer(1)
            return true
        }
        self.count = count
        self.length = length
        self.isComplete = isComplete
    }
}
