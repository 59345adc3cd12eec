import Documents
package import Gateway
package import Storage

/// Records whether a server has a single branch of each document, as its refusals have shown.
///
/// Only administrators of a Sync Gateway can query this setting. The record is stored beside the checkpoints until a replication with that server
/// is reset.
package struct SingleBranchRecord: Sendable {
    private let keyspace: Keyspace
    private let id: String

    /// - Parameter remoteURL: The server's database. Credentials in it are ignored.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    package init(of remoteURL: String, in keyspace: Keyspace) throws(ReplicationError) {
        self.init(try RemoteURL(remoteURL), in: keyspace)
    }

    init(_ url: RemoteURL, in keyspace: Keyspace) {
        self.keyspace = keyspace
        id = Self.id(of: url)
    }

    /// Whether a server has single branches, read from a store.
    ///
    /// - Throws: ``ReplicationError`` with code `badURL`; the store's errors.
    package static func isOneLine(_ remoteURL: String, in store: any Store) async throws -> Bool {
        let id = id(of: try RemoteURL(remoteURL))
        return try await store.read { try $0.localDocument(.replicator, in: .unified, id: id) } != nil
    }

    private static func id(of url: RemoteURL) -> String { "one-line:\(url.base)" }

    package var isOneLine: Bool {
        get async throws { try await keyspace.localDocument(.replicator, id: id) != nil }
    }

    /// Records that the server has refused a branch.
    func record() async throws {
        try await write(Array("{}".utf8))
    }

    /// Deletes the record: the server's configuration may have changed.
    func forget() async throws {
        try await write(nil)
    }

    private func write(_ body: [UInt8]?) async throws {
        guard try await isOneLine == (body == nil) else { return }
        do {
            let current = try await keyspace.localDocument(.replicator, id: id)
            _ = try await keyspace.setLocalDocument(.replicator, id: id, body: body, expected: current.map { "0-\($0.revision)" })
        } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
            // Another replication has written it concurrently.
            return
        }
    }
}
