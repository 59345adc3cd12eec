import Access
import Gateway
import ModernProtocol

/// The keyspaces that a connection replicates, and their names in messages: the `collection` property
/// (docs/protocol/modern-2x.md#collection-property).
struct CollectionMap {
    private enum Mode {
        /// No request has referred to a collection yet.
        case undecided
        /// No message names a collection; all refer to the unified keyspace.
        case unnamed
        /// Every message names a collection by its index in the client's list.
        case indexed
    }

    private let database: Database
    private let principal: Principal
    private let login: LoginProof?
    private var mode = Mode.undecided
    private var collections: [SessionCollection?] = []

    init(database: Database, principal: Principal, login: LoginProof? = nil) {
        self.database = database
        self.principal = principal
        self.login = login
    }

    /// The collection of a request.
    /// - Throws: `badRequest`, as Sync Gateway does.
    mutating func resolve(_ property: String?) throws(BLIPRequestError) -> CollectionHandle {
        switch mode {
        case .indexed:
            guard let property else {
                throw BLIPRequestError(
                    .badRequest, "Collection property not specified: after getCollections every request names its collection")
            }
            guard let index = Int(property), collections.indices.contains(index) else {
                throw BLIPRequestError(.badRequest, "Collection index \(property.prefix(20)) is not in the list of getCollections")
            }
            guard collections[index] != nil else {
                throw BLIPRequestError(.badRequest, "Collection \(index) of the list of getCollections does not exist")
            }
            return index
        case .undecided, .unnamed:
            guard property == nil else {
                throw BLIPRequestError(.badRequest, "Passing a collection requires calling getCollections first")
            }
            if case .undecided = mode {
                mode = .unnamed
                collections = [SessionCollection(keyspace: database.unified.seen(by: principal, login: login), index: nil)]
            }
            return 0
        }
    }

    /// Opens the collections of the client's list.
    ///
    /// - Returns: The keyspace of each collection; `nil` for collections that do not exist.
    /// - Throws: `badRequest` after an earlier `getCollections`, or after a request without a collection.
    mutating func open(_ names: [CollectionName?]) throws(BLIPRequestError) -> [Keyspace?] {
        guard case .undecided = mode else {
            throw BLIPRequestError(.badRequest, "getCollections has to be the first request, and is allowed once")
        }
        mode = .indexed
        var found = database.keyspaces(names.compactMap { $0 }).makeIterator()
        let keyspaces = names.map { name in name == nil ? nil : found.next().flatMap { $0?.seen(by: principal, login: login) } }
        collections = keyspaces.enumerated().map { index, keyspace in
            keyspace.map { SessionCollection(keyspace: $0, index: index) }
        }
        return keyspaces
    }

    /// The collections that exist.
    var all: some Sequence<SessionCollection> {
        collections.lazy.compactMap { $0 }
    }

    /// The collection for a handle from ``resolve(_:)``.
    subscript(handle: CollectionHandle) -> SessionCollection? {
        collections.indices.contains(handle) ? collections[handle] : nil
    }
}
