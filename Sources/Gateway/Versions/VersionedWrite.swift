public import Documents

/// A revision that a 4.x client made.
public struct VersionedWrite: Sendable {
    public let history: VersionHistory

    /// Where the client has it; `nil` if it has not told who it is.
    public let copy: ClientCopy?

    public init(history: VersionHistory, copy: ClientCopy?) {
        self.history = history
        self.copy = copy
    }
}
