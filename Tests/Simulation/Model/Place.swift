/// A document as a client names it: a keyspace, and an ID there.
struct Place: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// `scope.collection`; empty for the unified keyspace.
    let keyspace: String
    let id: String

    var description: String { keyspace.isEmpty ? id : "\(keyspace)/\(id)" }

    static func < (a: Place, b: Place) -> Bool { (a.keyspace, a.id) < (b.keyspace, b.id) }
}
