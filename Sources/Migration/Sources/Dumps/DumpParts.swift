import Documents

/// Tells the parts of documents that are too large to come at once.
struct DumpParts {
    /// Of documents that come in parts: the revisions that have bodies somewhere in the dump.
    private var revisions: [ExactString: Set<String>] = [:]

    /// Makes the items of a document's first part say what all parts are together.
    ///
    /// - Parameter eachItem: visits what the dump has of the document, one after the other.
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
            // What one row names without its body stands in another part.
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
