public import Documents

/// A revision that a 4.x client made.
public struct VersionedWrite: Sendable {
    public let history: VersionHistory

    /// The UUID of the client's database; `nil` if it has not told it.
    public let client: String?

    public init(history: VersionHistory, client: String?) {
        self.history = history
        self.client = client
    }
}
