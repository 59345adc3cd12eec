/// What becomes of a document that was changed on both sides.
public enum ReplicationResolver: Hashable, Sendable {
    /// Couchbase Lite's rule: deletions, then the longer history, then the higher revision ID.
    case `default`
    case localWins
    case remoteWins
    /// A function `function (conflict) { return conflict.localDocument; }`.
    case javaScript(String)

    /// The rules by the names that configurations and the command line have for them.
    static let names: [String: ReplicationResolver] = ["default": .default, "local-wins": .localWins, "remote-wins": .remoteWins]

    /// A rule by its name; `nil` for other texts.
    public init?(name: String) {
        guard let resolver = Self.names[name] else { return nil }
        self = resolver
    }
}
