import Documents

/// A revision of a revision tree as Couchbase Lite 2.x and 3.x keep it (LiteCore, RawRevTree.hh).
struct RawRevision {
    let id: RevisionID

    /// The place of the revision that this one follows.
    let parent: Int?
    let isDeleted: Bool
    let isLeaf: Bool

    /// Its body in Fleece; `nil` if the tree does not have it.
    var body: ArraySlice<UInt8>?
}
