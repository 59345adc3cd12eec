import Storage

/// A row of `revs`.
struct LegacyRow {
    let sequence: Int64
    let revision: [UInt8]

    /// The sequence of the revision that this one follows.
    let parent: Int64?

    /// Whether it is a leaf.
    let isCurrent: Bool
    let isDeleted: Bool

    /// How many bytes its body has; `nil` if there is none, as with ancestors after a compaction.
    let length: Int?

    /// `nil` also if an ancestor's body has more bytes than wanted; a leaf's is cut then.
    let json: [UInt8]?

    /// - Parameters:
    ///   - row: one with the columns of ``LegacySchema/revisionColumns(limit:)``.
    ///   - first: where these begin.
    init(_ row: Row, first: Int32) {
        sequence = row.integer(first)
        revision = row.bytes(first + 1)
        parent = row.optionalInteger(first + 2)
        isCurrent = row.bool(first + 3)
        isDeleted = row.bool(first + 4)
        length = row.optionalInteger(first + 5).map { Int($0) }
        json = row.optionalBytes(first + 6)
    }

    private init(_ other: LegacyRow) {
        sequence = other.sequence
        revision = other.revision
        parent = other.parent
        isCurrent = other.isCurrent
        isDeleted = other.isDeleted
        length = nil
        json = nil
    }

    /// The row as it would be after a compaction.
    var withoutBody: LegacyRow { LegacyRow(self) }
}
