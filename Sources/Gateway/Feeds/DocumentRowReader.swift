import Documents
import Storage

/// Looks up the feed rows of single documents, where the feed may be long. The result equals the merged sources' rows.
struct DocumentRowReader {
    private let reader: ChannelChangesReader
    private var wholes: [FeedSource] = []
    private var channels: [FeedSource.Kind: [FeedSource]] = [:]
    private var moves: [FeedSource] = []

    init(_ reader: ChannelChangesReader) {
        self.reader = reader
        for source in reader.plan().sources {
            switch source.kind {
            case .collections: wholes.append(source)
            case .channel: channels[source.kind, default: []].append(source)
            case .crossings, .returns: moves.append(source)
            // `ChangesReader` looks up the notices of departed documents.
            case .departures: break
            }
        }
    }

    /// - Returns: rows in feed order; several where a document left a channel and is still visible at a later position.
    func rows(of document: DocumentRecord, as id: String) throws -> [ChangeRow] {
        guard let key = document.key else { return [] }
        var places: [FeedPosition: [(FeedSource, ChannelRow)]] = [:]
        func add(_ sources: [FeedSource], at sequence: SequenceNumber?, since: SequenceNumber, leftWith: String?) {
            guard let sequence else { return }
            for source in sources where source.includes(sequence) {
                let row = FeedRow(
                    key: key, sequence: sequence, id: id, revision: document.winner.text, flags: document.flags,
                    collection: document.collection, bodySize: 0)
                places[source.position(sequence), default: []].append(
                    (source, ChannelRow(document: row, since: since, leftWith: leftWith)))
            }
        }
        if let sequence = reader.scope == .unified ? document.sequence : document.collectionSequence {
            add(wholes.filter { $0.kind.includes(document.collection) }, at: sequence, since: sequence, leftWith: nil)
        }
        if !channels.isEmpty {
            for entry in try reader.visibility.snapshot.channels(of: key) {
                let sources = channels[.channel(entry.channel, document.collection)] ?? []
                add(sources, at: entry.sequence(in: reader.scope), since: entry.since, leftWith: entry.leftWith)
            }
        }
        let departures = moves.isEmpty ? [] : try reader.snapshot.departures(of: key)
        for source in moves {
            switch source.kind {
            case .crossings(let collection):
                for departure in departures where departure.collection == collection {
                    add([source], at: departure.sequence, since: .zero, leftWith: nil)
                }
            case .returns(let place):
                add([source], at: try reader.snapshot.returnSequence(of: key, to: place), since: .zero, leftWith: nil)
            case .collections, .channel, .departures: break
            }
        }
        let rows = try places.sorted { $0.key < $1.key }.compactMap { try reader.row($0.value, at: $0.key) }
        return rows.filter { row in !rows.contains { row.isSuperseded(by: $0) } }
    }
}

extension FeedSource.Kind {
    /// Whether the source contains every document of the collection.
    fileprivate func includes(_ collection: CollectionKey) -> Bool {
        guard case .collections(let collections) = self else { return false }
        return collections.contains(collection)
    }
}

extension FeedSource {
    /// Whether the source covers this sequence.
    fileprivate func includes(_ sequence: SequenceNumber) -> Bool {
        sequence > after && (before.map { sequence < $0 } ?? true)
    }
}
