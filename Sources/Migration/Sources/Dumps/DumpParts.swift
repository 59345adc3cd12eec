import Documents

/// Marks the parts of documents that are too large to be read at once.
struct DumpParts {
    /// By partial document: its revisions that have bodies anywhere in the dump.
    private var revisions: [ExactString: Set<String>] = [:]

    /// Marks the items of a document's first part with the properties of the whole document.
    ///
    /// - Parameter eachItem: Visits all items of the document in the dump.
    mutating func first(_ items: [SourceItem], at place: String, eachItem: ((SourceItem) -> Void) throws -> Void) rethrows -> [SourceItem] {
        guard let id = items.documentID else { return items }
        var deleted: [RevisionID: Bool] = [:]
        var ancestors: Set<RevisionID> = []
        try eachItem { item in
            guard case .document(let document) = item else { return }
            for revision in document.revisions {
                guard let id = revision.history.first else { continue }
                deleted[id] = revision.isDeleted
                ancestors.formUnion(revision.history.dropFirst())
            }
        }
        revisions[ExactString(id)] = Set(deleted.keys.map(\.text))
        let live = deleted.count { !$0.value && !ancestors.contains($0.key) }
        return marked(items, id, SourcePart(place: place, whole: .init(isDeleted: live == 0, isConflicted: live > 1)))
    }

    /// The items of a later part.
    func later(_ items: [SourceItem], at place: String) -> [SourceItem] {
        guard let id = items.documentID else { return items }
        return marked(items, id, SourcePart(place: place))
    }

    private func marked(_ items: [SourceItem], _ id: String, _ part: SourcePart) -> [SourceItem] {
        let known = revisions[ExactString(id)] ?? []
        return items.compactMap { item in
            switch item {
            case .document(var document):
                document.part = part
                return .document(document)
            // Another part has the body of a revision that this row only lists.
            case .fault(let fault): return fault.revision.map { known.contains($0) } ?? false ? nil : item
            }
        }
    }
}

extension [SourceItem] {
    /// The ID of the first document.
    fileprivate var documentID: String? {
        for case .document(let document) in self { return document.id }
        return nil
    }
}

extension SourceItem {
    /// Merges the items of one document: its leaves with their histories.
    ///
    /// - Returns: The document, followed by the faults of revisions that no item contains.
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
        document.merge(documents.dropFirst())
        let whole = Set(document.revisions.compactMap { $0.history.first?.text })
        let rest = faults.filter { fault in fault.revision.map { !whole.contains($0) } ?? true }
        return [.document(document)] + rest.map { .fault($0) }
    }
}

extension SourceDocument {
    /// Merges the revisions of other rows. A leaf stops being a leaf if another revision descends from it.
    fileprivate mutating func merge(_ others: ArraySlice<SourceDocument>) {
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
