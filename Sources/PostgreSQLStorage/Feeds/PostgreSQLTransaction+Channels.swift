import Documents
import Storage

extension PostgreSQLTransaction {
    func setChannels(_ channels: Set<String>, of document: DocumentRecord, at sequence: SequenceNumber) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        let unified = document.sequence == nil ? nil : sequence
        var coming = channels
        let present = changes.inserted == key ? [] : try channelEntries(of: key)
        changes.inserted = nil
        lookups.details.forget(key)
        for stored in present {
            let (channel, entry) = (stored.channel, stored.entry)
            let isWanted = coming.remove(entry.channel) != nil
            if isWanted || entry.isCurrent { changes.touch(ChannelPlace(entry.channel, in: document.collection)) }
            if isWanted, entry.isCurrent {
                // The document stays in the channel. If the document changed, its sequence in the channel is that of the change.
                try connection.run(
                    """
                    UPDATE channel_entries SET collection = $3, sequence = $4, collection_sequence = $5
                    WHERE document = $1 AND channel = $2
                    """, key, channel, document.collection, document.sequence.map { max($0, entry.sequence ?? .zero) },
                    max(document.collectionSequence, entry.collectionSequence))
            } else if isWanted || entry.isCurrent {
                touchFeeds(of: document, at: sequence)
                try connection.run(
                    """
                    UPDATE channel_entries SET collection = $3, sequence = $4, collection_sequence = $5, left_with = $6,
                        left_upstream = NULL
                    WHERE document = $1 AND channel = $2
                    """, key, channel, document.collection, unified, sequence, isWanted ? nil : document.winner.text)
            } else {
                // A past entry has a sequence in the channel's unified feed exactly if the document has one in the unified feed.
                try connection.run(
                    """
                    UPDATE channel_entries SET collection = $3, sequence = CASE WHEN $4::bigint IS NOT NULL THEN coalesce(sequence, $4) END
                    WHERE document = $1 AND channel = $2
                    """, key, channel, document.collection, document.sequence)
            }
        }
        for name in coming {
            changes.touch(ChannelPlace(name, in: document.collection))
            touchFeeds(of: document, at: sequence)
            try addEntry(of: key, to: name, document.collection, unified, sequence)
        }
    }

    func recordChannelLeft(_ channel: String, _ document: DocumentRecord, at sequence: SequenceNumber?, upstream number: Int64?) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        changes.inserted = nil
        lookups.details.forget(key)
        let count = try connection.change(
            """
            INSERT INTO channel_entries AS e
                (document, channel, collection, sequence, collection_sequence, since, left_with, left_upstream)
            VALUES ($1, $2, $3, $4, $5, $5, $6, $7)
            ON CONFLICT (document, channel) DO UPDATE SET
                sequence = CASE WHEN e.sequence IS NOT NULL AND excluded.sequence IS NOT NULL
                    THEN greatest(e.sequence, excluded.sequence) END,
                collection_sequence = greatest(e.collection_sequence, excluded.collection_sequence), left_with = excluded.left_with,
                left_upstream = excluded.left_upstream
            WHERE e.left_with IS NOT NULL
                AND (e.collection_sequence < excluded.collection_sequence OR e.left_upstream < excluded.left_upstream)
            """, key, try addChannel(channel), document.collection, document.sequence.map { sequence ?? $0 },
            sequence ?? document.collectionSequence, document.winner.text, number)
        guard count > 0 else { return }
        changes.touch(ChannelPlace(channel, in: document.collection))
        touchFeeds(of: document, at: sequence ?? document.collectionSequence)
    }

    func placeInChannels(_ channels: Set<String>, _ document: DocumentRecord) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        changes.inserted = nil
        lookups.details.forget(key)
        try connection.run("DELETE FROM channel_entries WHERE document = $1", key)
        for name in channels {
            try addEntry(
                of: key, to: name, document.collection, document.sequence, document.collectionSequence,
                since: document.sequence ?? document.collectionSequence)
        }
    }

    func setChannels(_ channels: Set<String>, of leaf: RevisionID, in document: DocumentRecord) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        try connection.run(
            "UPDATE bodies SET channels = $3 WHERE document = $1 AND revision = $2", key, leaf,
            channels.isEmpty ? nil : channels.sorted().joined(separator: ","))
    }

    /// - Parameter since: The sequence at which the document entered the channel; by default the position in the collection's feed.
    private func addEntry(
        of document: DocumentKey, to channel: String, _ collection: CollectionKey, _ sequence: SequenceNumber?,
        _ collectionSequence: SequenceNumber, since: SequenceNumber? = nil
    ) throws {
        try connection.insert(
            """
            INSERT INTO channel_entries (document, channel, collection, sequence, collection_sequence, since)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
            """, document, try addChannel(channel), collection, sequence, collectionSequence, since ?? collectionSequence)
    }

    /// Marks the document's feeds as changed: followers of a channel receive entries and removals even if the document itself did not change.
    private func touchFeeds(of document: DocumentRecord, at sequence: SequenceNumber) {
        changes.touch(.collection(document.collection))
        if document.sequence != nil { changes.touch(.unified) }
        let hasOwnSequence = document.collectionSequence < sequence || document.sequence.map { $0 < sequence } ?? false
        if hasOwnSequence { changes.lastChannelOnlySequence = max(changes.lastChannelOnlySequence, sequence) }
    }

    /// The key of a channel, which is added if it is new.
    private func addChannel(_ channel: String) throws -> Int64 {
        // By bytes, because texts that differ in their composition alone are equal in Swift.
        let name = Array(channel.utf8)
        if let key = pending.newChannels[name] ?? channelKeys[name] { return key }
        if let key = try connection.first("SELECT key FROM channels WHERE name = $1", name, row: { $0.integer(0) }) {
            channelKeys.add([name: key])
            return key
        }
        pending.channelKey += 1
        try connection.run("INSERT INTO channels (key, name) VALUES ($1, $2)", pending.channelKey, name)
        pending.newChannels[name] = pending.channelKey
        return pending.channelKey
    }
}
