/// Revision histories as both protocols write them. In our hands a history is an array of IDs, the newest first, with the revision itself.
public enum RevisionHistory {
    /// Checks that generations descend, and that there are not too many.
    ///
    /// - Throws: ``DocumentError`` `badRevisions`.
    public static func validate(_ history: [RevisionID]) throws(DocumentError) {
        guard !history.isEmpty else { throw bad("the history is empty") }
        guard history.count <= RevisionTree.maximumHistoryCount else {
            throw bad("\(history.count) revisions, at most \(RevisionTree.maximumHistoryCount) are allowed")
        }
        for index in history.indices.dropFirst() where history[index - 1].generation <= history[index].generation {
            throw bad("\(history[index]) cannot be an ancestor of \(history[index - 1])")
        }
    }

    static func bad(_ reason: String) -> DocumentError {
        DocumentError(.badRevisions, "Bad _revisions: \(reason)")
    }
}
