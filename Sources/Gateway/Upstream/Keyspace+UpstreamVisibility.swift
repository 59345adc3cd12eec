package import Access
import Documents
package import Storage

/// What devices had read on the legacy upstream. A feed goes back only for channels that were granted after a device's position there.
extension Keyspace {
    /// The position in a checkpoint, as its client wrote it; `nil` if there is none.
    package static func place(in checkpoint: LocalDocument, _ kind: LocalDocumentKind) -> String? {
        CheckpointBody(checkpoint.body)?.positions(kind).first
    }

    /// The reader's channels, and whether the reader sees every document, if the channels that a device at this upstream position had read are not
    /// recorded yet.
    ///
    /// - Returns: `nil` if they are recorded or not needed.
    package func untrackedChannels(at place: UpstreamSequence) async throws -> (channels: Set<String>, seesEverything: Bool)? {
        guard scope == .unified, !place.isStart, let grantee = principal.grantee else { return nil }
        return try await store.read(as: share) { snapshot in
            guard try snapshot.upstream() != nil, try snapshot.upstreamDevice(of: grantee.name, at: place.name) == nil else { return nil }
            let access = access(of: try rights(in: snapshot)).values
            let channels = Set(access.flatMap(\.channels.keys)).subtracting([ChannelAccess.everyone, ChannelAccess.everything])
            return (channels.filter { !CollectionChannel.isOne($0) }, access.allSatisfy(\.seesEverything))
        }
    }

    /// The position at which a device at an upstream position would continue at this time.
    package func start(from place: UpstreamSequence) async throws -> SequenceNumber {
        try await store.read(as: share) { try UpstreamRemovals.position(of: place, in: $0) }
    }

    /// The device's losses after a position, as upstream reports them, that this feed does not announce.
    package func untold(_ sight: UpstreamVisibility, behind place: UpstreamSequence) async throws -> [UpstreamVisibility.Loss] {
        guard !sight.losses.isEmpty else { return [] }
        return try await store.read(as: share) { snapshot in
            let rights = try rights(in: snapshot)
            let position = try UpstreamRemovals.position(of: place, in: snapshot)
            return try sight.losses.filter { loss in
                guard let document = try snapshot.document(unifiedID: loss.id), let key = document.key else {
                    return (try? DocumentID.validate(loss.id)) != nil
                }
                let access = rights.access(to: document.collection)
                return try !UpstreamRemovals.isAnnounced(
                    snapshot.channels(of: key), to: access, having: sight.channels, upTo: place.reached, behind: position)
            }
        }
    }

    /// Grants the reader channels that upstream has granted since the user's migration. Devices that have migrated already receive them as a whole.
    package func grantUpstream(_ channels: Set<String>) async throws {
        guard let grantee = principal.grantee else { return }
        try await store.write { try AccountEditor($0).addLoginGrants(of: grantee.name, channels: channels) }
    }

    /// Records which channels a device at an upstream position had read, and which documents it has to lose.
    ///
    /// Channels that upstream granted later are granted here at the corresponding position of this feed, so that exactly the devices without the
    /// channel's documents receive them. Devices that have migrated already may receive rows again.
    ///
    /// - Parameter start: The position at which the device would have continued when its losses were compared with this feed. The device continues
    ///   there at the latest, even if the pull has advanced. `nil` if there was no comparison.
    package func learn(_ sight: UpstreamVisibility, at place: UpstreamSequence, from start: SequenceNumber? = nil) async throws {
        guard let grantee = principal.grantee else { return }
        var json: [UInt8] = []
        JSONValue.array(sight.channels.sorted().map { .string($0) }).append(to: &json)
        let channels = String(decoding: json, as: UTF8.self)
        try await store.write { transaction in
            let latest = try UpstreamRemovals(transaction: transaction).record(sight.losses, behind: place)
            let before = [latest, start].compactMap { $0 }.min()
            try transaction.setUpstreamDevice(
                channels, before: before, learned: transaction.lastSequence, of: grantee.name, at: place.name, time: Timestamp.now)
            for (channel, granted) in sight.later where granted < .max {
                let since = try UpstreamTranslation(snapshot: transaction).position(of: UpstreamSequence(String(granted)))
                if let since, since > database.origin { try transaction.raiseGrants(of: channel, to: grantee, at: since) }
            }
        }
    }

    /// Records the rows after a position that a device does not receive, because upstream did not send them either. These are rows of documents
    /// whose current state upstream had shown by the end of its reply to the device:
    ///
    /// - departures that the device had received before, where the document has changed since;
    /// - tombstones in channels that were granted later.
    ///
    /// - Parameter told: What upstream sent the device after the position.
    package func silence(allBut told: UpstreamVisibility.Told, at place: UpstreamSequence) async throws {
        guard let grantee = principal.grantee else { return }
        var query = ChangesQuery()
        query.since = try await position(ofUpstream: place)
        var silent: [JSONValue] = []
        for _ in 0..<Self.silentBatches {
            let batch = try await changes(query)
            silent += try await store.read(as: share) { snapshot in
                try batch.rows.filter { !told.ids.contains(ExactString($0.id)) }.filter { row in
                    guard let key = row.document, let sequence = try snapshot.document(key)?.sequence else { return false }
                    // A departure after the document's last change was caused by a sync function here.
                    guard row.isRemoval ? row.trigger == nil && row.sequence <= sequence : row.isDeleted else { return false }
                    return try snapshot.upstreamOrdinal(at: sequence).map { $0 <= told.end } ?? false
                }.map { .string(FeedPosition($0.sequence, trigger: $0.trigger).description) }
            }
            query.since = batch.position
            if batch.isCaughtUp || silent.count > Self.silentRows { break }
        }
        guard !silent.isEmpty else { return }
        var json: [UInt8] = []
        JSONValue.array(Array(silent.prefix(Self.silentRows))).append(to: &json)
        let positions = String(decoding: json, as: UTF8.self)
        try await store.write { try $0.setUpstreamUnsentPositions(positions, of: grantee.name, at: place.name) }
    }

    /// The maximum number of batches that are searched for rows to omit, and the maximum number of those rows. Further rows are sent.
    private static var silentBatches: Int { 20 }
    private static var silentRows: Int { 500 }

    /// What all of the reader's devices that had reached a number of upstream's feed had read there.
    func seenUpstream(upTo number: Int64, in snapshot: any StoreSnapshot) throws -> UpstreamClientState {
        guard let grantee = principal.grantee else { return UpstreamClientState() }
        let (first, end) = UpstreamSequence.names(reaching: number)
        let sights = try snapshot.upstreamDevices(of: grantee.name, from: first, to: end)
        let channels = try sights.map { try Self.channels(in: $0.channels) }
        let silent = try sights.map { Set(try Self.texts(in: $0.silent ?? "[]")) }
        return UpstreamClientState(
            channels: channels.dropFirst().reduce(channels.first ?? []) { $0.intersection($1) },
            silent: silent.dropFirst().reduce(silent.first ?? []) { $0.intersection($1) },
            learned: sights.map { $0.learned ?? .zero }.min() ?? .zero)
    }

    private static func channels(in sight: String) throws -> Set<ExactString> {
        Set(try texts(in: sight).map { ExactString($0.composed) })
    }

    private static func texts(in json: String) throws -> [String] {
        (try JSONValue(Array(json.utf8)).array ?? []).compactMap(\.string)
    }

    /// The upper bound of the start position for a device from an upstream position: the feed has to go back for every channel of which the device
    /// may lack documents, and has to announce all of its losses. `nil` for no bound.
    func lowest(from place: UpstreamSequence, in snapshot: any StoreSnapshot) throws -> SequenceNumber? {
        guard let grantee = principal.grantee else { return nil }
        let sight = try snapshot.upstreamDevice(of: grantee.name, at: place.name)
        let seen = try sight.map { try Self.channels(in: $0.channels) } ?? []
        guard !seen.contains(ExactString(ChannelAccess.everything)) else { return sight?.position }
        let unseen = access(of: try rights(in: snapshot)).values.flatMap(\.channels).filter { channel, _ in
            channel != ChannelAccess.everyone && !seen.contains(ExactString(channel))
        }
        return (unseen.map { SequenceNumber(max(0, $0.value.value - 1)) } + [sight?.position].compactMap { $0 }).min()
    }
}

/// What a device had read on the legacy upstream, as far as this feed needs it.
struct UpstreamClientState {
    /// The channels whose documents it has, up to its upstream position.
    var channels: Set<ExactString> = []

    /// The positions of rows that it does not receive, because upstream had not sent them.
    var silent: Set<String> = []

    /// This database's counter at the time of the record.
    var learned: SequenceNumber = .zero

    /// The reader's access, with the device's channels granted from the beginning: the feed from its position includes all of their changes. A
    /// later grant keeps its sequence, because the device may have read on without the channel.
    func widening(_ access: [CollectionKey: ChannelAccess]) -> [CollectionKey: ChannelAccess] {
        guard !channels.isEmpty else { return access }
        return access.mapValues { access in
            var access = access
            for (channel, granted) in access.channels where granted <= learned && channels.contains(ExactString(channel)) {
                access.channels[channel] = .zero
            }
            return access
        }
    }
}
