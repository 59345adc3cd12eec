import Documents

/// What a client has edited itself, and how far it has been pushed.
///
/// What a server refuses for good counts as pushed: Couchbase Lite does not try it again until the document is edited, or the checkpoint
/// is reset.
struct LocalEdits {
    private var edits: [PeerRevision] = []
    private var pushed = 0

    var pending: [PeerRevision] { Array(edits[pushed...]) }

    /// Takes the place of an earlier edit of the same document.
    mutating func append(_ revision: PeerRevision) {
        remove(revision.id)
        edits.append(revision)
    }

    mutating func remove(_ id: String) {
        guard let index = edits.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
        edits.remove(at: index)
        if index < pushed { pushed -= 1 }
    }

    mutating func notePush() { pushed = edits.count }

    mutating func resetCheckpoint() { pushed = 0 }
}
