import Documents

extension SourceItem {
    /// Puts together what a source has of one document in several places: its leaves, each with its history.
    ///
    /// - Returns: the document first, and then what cannot be read of it and is nowhere else.
    static func merged(_ items: [SourceItem]) -> [SourceItem] {
        var document: SourceDocument?
        var faults: [SourceFault] = []
        for item in items {
            switch item {
            case .fault(let fault): faults.append(fault)
            case .document(let other):
                if document == nil { document = other } else { document?.take(other) }
            }
        }
        guard let document else { return items }
        let whole = Set(document.revisions.compactMap { $0.history.first?.text })
        let rest = faults.filter { fault in fault.revision.map { !whole.contains($0) } ?? true }
        return [.document(document)] + rest.map { .fault($0) }
    }
}

extension SourceDocument {
    /// Takes in the revisions that stand elsewhere. What was a leaf there is none if another revision descends from it.
    fileprivate mutating func take(_ other: SourceDocument) {
        let known = Set(revisions.compactMap(\.history.first))
        revisions += other.revisions.filter { revision in revision.history.first.map { !known.contains($0) } ?? false }
        let ancestors = Set(revisions.flatMap { $0.history.dropFirst() })
        for index in revisions.indices {
            guard let id = revisions[index].history.first else { continue }
            revisions[index].isLeaf = !ancestors.contains(id)
        }
        revisions.sort { ($0.history.first?.generation ?? 0) < ($1.history.first?.generation ?? 0) }
        sequence = other.sequence ?? sequence
        expiry = expiry ?? other.expiry
    }
}
