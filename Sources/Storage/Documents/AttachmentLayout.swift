/// The layout of attachments in a database: parts of fixed size, so that no more than one part is in memory.
package enum AttachmentLayout {
    /// The number of bits of a part's number in its position.
    package static let partBits: Int64 = 20

    /// The size of every part except for the last, in bytes.
    package static var partSize: Int { AttachmentRecord.partSize }

    package static var maximumParts: Int { 1 << partBits }

    /// The position of a part.
    package static func position(_ key: Int64, part: Int) -> Int64 { key << partBits + Int64(part) }
}

/// A summary of an attachment's parts, without their bytes. Parts are added in the order of their positions.
package struct AttachmentParts {
    package private(set) var count: Int64 = 0
    package private(set) var length: Int64 = 0

    /// Whether the parts have consecutive numbers and all except for the last are full.
    package private(set) var isComplete = true

    private let first: Int64

    /// - Parameter key: The attachment's key.
    package init(of key: Int64) {
        first = AttachmentLayout.position(key, part: 0)
    }

    package mutating func add(position: Int64, length size: Int64) {
        if position != first + count || length != count * Int64(AttachmentLayout.partSize) { isComplete = false }
        count += 1
        length += size
    }
}

/// A range of an attachment's bytes, and its parts that the range touches.
package struct AttachmentRange {
    private let first: Int64
    private let start: Int64
    private let end: Int64

    /// - Returns: `nil` if the attachment has no bytes in the range.
    package init?(_ attachment: AttachmentRecord, offset: Int64, count: Int) {
        guard offset >= 0, count > 0, offset < attachment.length else { return nil }
        first = AttachmentLayout.position(attachment.key, part: 0)
        start = offset
        end = offset + min(Int64(count), attachment.length - offset)
    }

    /// The number of bytes.
    package var count: Int { Int(end - start) }

    /// The positions of the first and the last part.
    package var positions: (first: Int64, last: Int64) {
        let size = Int64(AttachmentLayout.partSize)
        return (first + start / size, first + (end - 1) / size)
    }

    /// The bytes of a part that are in the range, as offsets in the part.
    package func offsets(in part: UnsafeRawBufferPointer, at position: Int64) -> Range<Int> {
        let begin = (position - first) * Int64(AttachmentLayout.partSize)
        let lower = max(0, min(Int64(part.count), start - begin))
        let upper = max(lower, min(Int64(part.count), end - begin))
        return Int(lower)..<Int(upper)
    }
}
