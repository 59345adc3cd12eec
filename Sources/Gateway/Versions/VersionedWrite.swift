public import Documents

/// A revision that a 4.x client or server made.
public struct VersionedWrite: Sendable {
    public let history: VersionHistory

    /// Where the client has it; `nil` if it has not told who it is.
    public let copy: ClientCopy?

    /// The revision and its ancestors in the tree of who sends it, the newest first; empty if it was not told.
    public var tree: [RevisionID] = []

    /// What clients of another bridge remember of the document from before they were upgraded, by their copies' names there.
    public var remembered: [String: RevisionID] = [:]

    /// Whether a server sends it: it may give a version to what is here already by the ID in the tree, which then gets no new revision.
    public var isNaming = false

    public init(history: VersionHistory, copy: ClientCopy?) {
        self.history = history
        self.copy = copy
    }
}
