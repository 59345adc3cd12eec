import Documents
package import Storage

/// The first step of a copy, which depends on the marks in the source and the content of the target.
package enum CopyBeginning: Hashable, Sendable {
    /// The copy begins in an empty target.
    case fresh

    /// The copy begins in place of the target's store, which was moved away from there.
    case replacing

    /// The copy goes on.
    case resumed(CopyRecord)

    /// The source was moved by this copy already: only the completion is missing.
    case completing(CopyRecord)

    /// The copy was completed already. Its additions to the source are removed.
    case done
}

/// The facts about source and target before a copy begins.
package struct CopyEnds: Sendable {
    /// The places, for messages.
    package let source: String
    package let target: String

    /// The UUID of the source's store.
    package let uuid: [UInt8]
    package let outgoing: OutgoingCopy?
    package let moved: MovedMark?
    package let content: CopyTargetContent

    package init(source: String, target: String, uuid: [UInt8], outgoing: OutgoingCopy?, moved: MovedMark?, content: CopyTargetContent) {
        self.source = source
        self.target = target
        self.uuid = uuid
        self.outgoing = outgoing
        self.moved = moved
        self.content = content
    }

    /// Decides the first step.
    ///
    /// - Throws: ``StoreCopyError``: `occupied`, `elsewhere`, `unrelated`. Nothing was changed then.
    package func beginning() throws(StoreCopyError) -> CopyBeginning {
        if let moved { return try afterMove(moved) }
        switch content {
        case .unfinished(let record):
            guard record.store == Hex.text(uuid) else { throw occupied("an unfinished copy of another store, \(record.source)") }
            guard outgoing?.copy == record.copy else {
                throw StoreCopyError(
                    .unrelated,
                    """
                    \(target): the unfinished copy cannot go on, because \(source) has not noted its changes since then. Remove the unfinished copy \
                    and begin again.
                    """)
            }
            try refuseOtherLayout(record)
            return .resumed(record)
        case .empty:
            try refuseOtherCopy()
            return .fresh
        case .store(let other, let moved):
            if other == uuid, outgoing?.target == target, moved == nil { return .done }
            guard other == uuid, moved != nil else { throw occupied(other == uuid ? "a copy of this store" : "another store") }
            try refuseOtherCopy()
            return .replacing
        }
    }

    private func afterMove(_ mark: MovedMark) throws(StoreCopyError) -> CopyBeginning {
        switch content {
        case .unfinished(let record) where record.copy == mark.copy:
            try refuseOtherLayout(record)
            return .completing(record)
        case .store(let other, nil) where other == uuid && mark.target == target: return .done
        case .unfinished, .store, .empty:
            throw StoreCopyError(
                .elsewhere,
                """
                \(source): the store was moved to \(mark.target). Copy it from there; or take it into use here again with `dualgauge copy \
                --release`, which leaves out the writes at the new place.
                """)
        }
    }

    private func refuseOtherLayout(_ record: CopyRecord) throws(StoreCopyError) {
        guard record.layout != CopiedTable.layout else { return }
        throw StoreCopyError(
            .unrelated,
            """
            \(target): another version of this program, whose stores have other tables, has begun the copy. Finish it with that version, or remove \
            the unfinished copy and begin again.
            """)
    }

    private func occupied(_ content: String) -> StoreCopyError {
        StoreCopyError(.occupied, "\(target): there is \(content). Name another place, or remove it first; nothing was changed.")
    }

    /// A copy to another place in progress has its own journal. A copy that had not begun in this target is replaced.
    private func refuseOtherCopy() throws(StoreCopyError) {
        guard let outgoing, outgoing.target != target else { return }
        throw StoreCopyError(
            .elsewhere,
            "\(source): a copy to \(outgoing.target) is in progress. Repeat that command to finish it, or end it with `dualgauge copy --release`."
        )
    }
}
