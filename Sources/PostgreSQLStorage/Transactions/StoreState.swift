import Documents
import Storage

/// The single values of a store: the one row of the table `store`.
///
/// A transaction reads it with its beginning, so that these values cost no round trip.
struct StoreState {
    let uuid: [UInt8]
    let origin: SequenceNumber
    let counter: SequenceNumber
    let commitNumber: Int64
    let collections: Int64
    let access: Int64
    let accessOfEveryone: Int64
    let channelsApart: SequenceNumber
    let documentKey: Int64
    let channelKey: Int64
    let hasReaders: Bool

    /// The text of the mark of a store that was moved to another place.
    private let moved: String?

    private init(_ row: PostgreSQLRow) {
        uuid = row.bytes(0)
        origin = SequenceNumber(row.integer(1))
        counter = SequenceNumber(row.integer(2))
        commitNumber = row.integer(3)
        collections = row.integer(4)
        access = row.integer(5)
        accessOfEveryone = row.integer(6)
        channelsApart = SequenceNumber(row.integer(7))
        documentKey = row.integer(8)
        channelKey = row.integer(9)
        hasReaders = row.bool(10)
        moved = row.optionalText(11)
    }

    /// The mark of a store that was moved to another place; `nil` if it was not.
    func movedMark(at place: String) throws -> MovedMark? { try moved.map { try CopyMarkText.read($0, at: place) } }

    /// Reads the row.
    static func read(_ connection: PostgreSQLConnection) throws -> StoreState {
        try present(
            try connection.first(
                """
                SELECT uuid, origin, counter, commit_number, collections, access, access_everyone, channels_apart, document_key, channel_key,
                    has_readers, moved
                FROM store WHERE key = 1
                """, row: StoreState.init), connection)
    }

    /// Reads the row, and locks it until the end of the transaction. Waits for other writers.
    static func lock(_ connection: PostgreSQLConnection) throws -> StoreState {
        try present(
            try connection.first(
                """
                SELECT uuid, origin, counter, commit_number, collections, access, access_everyone, channels_apart, document_key, channel_key,
                    has_readers, moved
                FROM store WHERE key = 1 FOR UPDATE
                """, row: StoreState.init), connection)
    }

    private static func present(_ state: StoreState?, _ connection: PostgreSQLConnection) throws -> StoreState {
        guard let state, state.uuid.count == 16 else {
            throw StorageError(
                .corrupt,
                "\(connection.address.description): the store is damaged: its row in the table 'store' is missing. Restore a backup.")
        }
        // Whoever has the store open keeps values of it in memory, which hold for no other store.
        guard connection.store == nil || connection.store == state.uuid else {
            throw StorageError(
                .replaced,
                "\(connection.address.description): another process has put a new store in the place of this one. It has to be opened again."
            )
        }
        return state
    }
}
