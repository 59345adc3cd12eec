import Documents
public import Gateway
public import Storage

/// Whether a server keeps one line of revisions of each document, as pushes have found out by what it refused.
///
/// Only administrators of a Sync Gateway can ask it. It is kept beside the checkpoints until a replication with that server is begun anew.
public struct SingleBranchRecord: Sendable {
    private let keyspace: Keyspace
    private let id: String

    /// - Parameter remoteURL: The database there. Credentials in it do not count.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    public init(of remoteURL: String, in keyspace: Keyspace) throws(ReplicationError) {
        self.init(try RemoteURL(remoteURL), in: keyspace)
    }

    init(_ url: RemoteURL, in keyspace: Keyspace) {
        self.keyspace = keyspace
        id = Self.id(of: url)
    }

    /// The same, as a store says it.
    ///
    /// - Throws: ``ReplicationError`` with code `badURL`; what the store throws.
    public static func isOneLine(_ remoteURL: String, in store: any Store) async throws -> Bool {
        let id = id(of: try RemoteURL(remoteURL))
        return try await store.read { try $0.localDocument(.replicator, in: .unified, id: id) } != nil
    }

    private static func id(of url: RemoteURL) -> String { "one-line:\(url.base)" }

    public var isOneLine: Bool {
        get async throws { try await keyspace.localDocument(.replicator, id: id) != nil }
    }

    /// The server has refused a branch.
    func note() async throws {
        try await write(Array("{}".utf8))
    }

    /// The server may have been set up otherwise.
    func forget() async throws {
        try await write(nil)
    }

    private func write(_ body: [UInt8]?) async throws {
        guard try await isOneLine == (body == nil) else { return }
        do {
            let current = try await keyspace.localDocument(.replicator, id: id)
            _ = try await keyspace.setLocalDocument(.replicator, id: id, body: body, expected: current.map { "0-\($0.revision)" })
        } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
            // Another replication was quicker.
            return
        }
    }
}
