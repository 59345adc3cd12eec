/// What became of one document.
public struct ReplicationOutcome: Hashable, Sendable {
    public let id: String

    /// The collection's name, `scope.name`.
    public let collection: String
    public let isPush: Bool
    public let isDeleted: Bool

    /// Whether it was removed here because the user has lost access to it.
    public let isAccessRemoved: Bool

    /// Why it was not replicated; `nil` if it was.
    public let failure: ReplicationFailure?

    public init(
        id: String, collection: String, isPush: Bool, isDeleted: Bool = false, isAccessRemoved: Bool = false,
        failure: ReplicationFailure? = nil
    ) {
        self.id = id
        self.collection = collection
        self.isPush = isPush
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.failure = failure
    }
}
