import Foundation
import Storage

/// The first connection to a store: creates or migrates the schema, and reads the values that the store's parts need.
struct StoreOpening {
    /// The store's UUID.
    let uuid: [UInt8]

    /// The number of the last commit.
    let commitNumber: Int64

    /// The channel of notifications. A channel belongs to a database, which may have several stores.
    let channel: String

    /// The time after which an unfinished attachment of another process is removed, in milliseconds. Each part that arrives begins it anew.
    private static let attachmentLifetime: Int64 = 86_400_000

    /// The time after which the mark of a writer is removed, in milliseconds. No search for a commit takes as long.
    private static let writerLifetime: Int64 = 86_400_000

    init(_ connector: PostgreSQLConnector, _ options: PostgreSQLStore.Options, _ promotions: PromotionCheck) throws {
        let connection = try connector.connect()
        let schema = PostgreSQLSchema(connection: connection)
        if options.isReadOnly { try schema.checkReadable() } else { try schema.migrate(createsIfMissing: options.createsIfMissing) }
        if !options.isReadOnly {
            try Self.prepareContents(connection)
            try promotions.run(on: connection, known: 0)
        }
        let namespace = try connection.first(
            "SELECT oid FROM pg_namespace WHERE nspname = convert_from($1, 'UTF8')", connector.address.schema
        ) {
            $0.integer(0)
        }
        channel = "dualgauge_\(namespace ?? 0)"
        (uuid, commitNumber) = try PostgreSQLSnapshot.read(connection) { ($0.state.uuid, $0.state.commitNumber) }
    }

    /// Initialises a new store's UUID and counter, and removes the remains of processes that ended in the middle of their work.
    private static func prepareContents(_ connection: PostgreSQLConnection) throws {
        try connection.run(
            "INSERT INTO store (key, uuid, origin, counter) VALUES (1, $1, $2, $2) ON CONFLICT DO NOTHING",
            withUnsafeBytes(of: UUID().uuid) { Array($0) }, SequenceNumber.newOrigin)
        try connection.receive()
        let transaction = try PostgreSQLTransaction(beginningOn: connection, isCareful: true, ChannelKeys())
        do {
            let keys = try connection.all(
                "SELECT key FROM attachments WHERE digest IS NULL AND modified < $1", transaction.now - attachmentLifetime
            ) { $0.integer(0) }
            for key in keys { try transaction.abandonAttachment(key) }
            try connection.run("DELETE FROM writers WHERE time < $1", transaction.now - writerLifetime)
            try connection.run("COMMIT")
            try connection.receive()
        } catch {
            connection.rollBack()
            throw error
        }
    }
}
