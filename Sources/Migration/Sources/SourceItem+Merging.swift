import Documents

extension SourceItem {
    /// Puts together what a source has of one document in several places: its leaves, each with its history.
    ///
    /// - Returns: the document first, and then what cannot be read of it and is nowhere else.
    static func merged(_ items: [SourceItem]) -> [SourceItem] {
        var documents: [SourceDocument] = []
        var faults: [SourceFault] = []
        for item in items {
            switch item {
            case .fault(let fault): faults.append(fault)
            case .document(let document): documents.append(document)
            }
        }
        guard var document = documents.first else { return items }
        document.take(documents.dropFirst())
        let whole = Set(document.revisions.compactMap { $0.history.first?.text })
        let rest = faults.filter { fault in fault.revision.map { !whole.contains($0) } ?? true }
        return [.document(document)] + rest.map { .fault($0) }
    }
}

extension SourceDocument {
    /// Takes in the revisions that stand elsewhere. What was a leaf there is none if another revision descends from it.
    fileprivate mutating func take(_ others: ArraySlice<SourceDocument>) {
        guard !others.isEmpty else { return }
        var known = Set(revisions.compactMap(\.history.first))
        for other in others {
            revisions += other.revisions.filter { revision in revision.history.first.map { known.insert($0).inserted } ?? false }
            sequence = other.sequence ?? sequence
            expiry = expiry ?? other.expiry
        }
        let ancestors = Set(revisions.flatMap { $0.history.dropFirst() })
        for index in revisions.indices {
            guard let id = revisions[index].history.first else { continue }
            revisions[index].isLeaf = !ancestors.contains(id)
        }
        revisions.sort { ($0.history.first?.generation ?? 0) < ($1.history.first?.generation ?? 0) }
    }
}
