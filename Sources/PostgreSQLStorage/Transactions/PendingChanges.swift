import Documents
import Storage

/// The values that a transaction writes at its end, and the keys that it has assigned. A struct, so that the work of one caller can be undone.
struct PendingChanges {
    var changes: TransactionChanges

    /// The last assigned keys.
    var documentKey: Int64
    var channelKey: Int64

    /// The channels that the transaction has added.
    var newChannels: [[UInt8]: Int64] = [:]

    /// Whether a client may have read a feed.
    var hasReaders: Bool

    init(_ state: StoreState) {
        changes = TransactionChanges(sequence: state.counter)
        documentKey = state.documentKey
        channelKey = state.channelKey
        hasReaders = state.hasReaders
    }
}

/// The keys of committed channels. A channel is never removed, so a known key stays valid.
final class ChannelKeys {
    private var keys: [[UInt8]: Int64] = [:]

    /// Above it, all keys are forgotten, and read again when they are needed.
    private static let most = 20_000

    subscript(_ name: [UInt8]) -> Int64? { keys[name] }

    func add(_ committed: [[UInt8]: Int64]) {
        if keys.count + committed.count > Self.most { keys = [:] }
        keys.merge(committed) { $1 }
    }
}

/// The place and the flags of a stored document, as its last change left them.
struct StoredDocumentPlace {
    let collection: CollectionKey
    let flags: DocumentFlags
    let sequence: SequenceNumber?

    init(_ document: DocumentRecord) {
        collection = document.collection
        flags = document.flags
        sequence = document.sequence
    }

    /// The place of a row of `collection, flags, sequence`.
    init(_ row: PostgreSQLRow) {
        collection = CollectionKey(row.integer(0))
        flags = DocumentFlags(rawValue: row.integer(1))
        sequence = row.optionalInteger(2).map { SequenceNumber($0) }
    }
}
