public import Access
import Documents
public import Storage

/// What devices had seen on the legacy upstream. A feed goes back for channels that were granted after a device's place there, and for those alone.
extension Keyspace {
    /// The place that a checkpoint names, as its client wrote it; `nil` if it names none.
    public static func place(in checkpoint: LocalDocument) -> String? {
        CheckpointBody(checkpoint.body)?.places(.local).first
    }

    /// The channels that the reader can see, where it is yet to be learned which of them a device at a place of upstream's feed has seen; and whether it
    /// sees every document.
    ///
    /// - Returns: `nil` where nothing has to be learned.
    public func untrackedChannels(at place: UpstreamSequence) async throws -> (channels: Set<String>, seesEverything: Bool)? {
        guard scope == .unified, !place.isStart, let grantee = principal.grantee else { return nil }
        return try await store.read(as: share) { snapshot in
            guard try snapshot.upstream() != nil, try snapshot.upstreamDevice(of: grantee.name, at: place.name) == nil else { return nil }
            let access = access(of: try rights(in: snapshot)).values
            let channels = Set(access.flatMap(\.channels.keys)).subtracting([ChannelAccess.everyone, ChannelAccess.everything])
            return (channels.filter { !CollectionChannel.isOne($0) }, access.allSatisfy(\.seesEverything))
        }
    }

    /// Where a device at a place of upstream's feed would go on now.
    public func start(from place: UpstreamSequence) async throws -> SequenceNumber {
        try await store.read(as: share) { try UpstreamRemovals.position(of: place, in: $0) }
    }

    /// Of documents that a device of the reader's is to lose behind a place, as upstream says, those of which the feed here does not tell it.
    public func untold(_ sight: UpstreamVisibility, behind place: UpstreamSequence) async throws -> [UpstreamVisibility.Loss] {
        guard !sight.losses.isEmpty else { return [] }
        return try await store.read(as: share) { snapshot in
            let rights = try rights(in: snapshot)
            let position = try UpstreamRemovals.position(of: place, in: snapshot)
            return try sight.losses.filter { loss in
                guard let document = try snapshot.document(unifiedID: loss.id), let key = document.key else {
                    return (try? DocumentID.validate(loss.id)) != nil
                }
                let access = rights.access(to: document.collection)
                return try !UpstreamRemovals.isTold(
                    snapshot.channels(of: key), to: access, having: sight.channels, upTo: place.reached, behind: position)
            }
        }
    }

    /// Grants the reader channels that upstream has given him since he came here. Devices that are here get them whole.
    public func grantUpstream(_ channels: Set<String>) async throws {
        guard let grantee = principal.grantee else { return }
        try await store.write { try AccountEditor($0).addLoginGrants(of: grantee.name, channels: channels) }
    }

    /// Keeps what a device at a place of upstream's feed had seen, and which documents it is to lose.
    ///
    /// What was granted there later is granted here at the place in our feed that corresponds, so that those who lack the channel's documents, and only
    /// those, get them. Devices that are here already may be offered rows again.
    ///
    /// - Parameter start: Where the device would have gone on when its losses were compared with what the feed here tells: it goes on there at the latest, though
    ///   the pull may have come further. `nil` where nothing was compared.
    public func learn(_ sight: UpstreamVisibility, at place: UpstreamSequence, from start: SequenceNumber? = nil) async throws {
        guard let grantee = principal.grantee else { return }
        var json: [UInt8] = []
        JSONValue.array(sight.channels.sorted().map { .string($0) }).append(to: &json)
        let channels = String(decoding: json, as: UTF8.self)
        try await store.write { transaction in
            let latest = try UpstreamRemovals(transaction: transaction).learn(sight.losses, behind: place)
            let before = [latest, start].compactMap { $0 }.min()
            try transaction.setUpstreamDevice(
                channels, before: before, learned: transaction.lastSequence, of: grantee.name, at: place.name, time: Timestamp.now)
            for (channel, granted) in sight.later where granted < .max {
                let since = try UpstreamTranslation(snapshot: transaction).position(of: UpstreamSequence(String(granted)))
                if let since, since > database.origin { try transaction.raiseGrants(of: channel, to: grantee, at: since) }
            }
        }
    }

    /// Keeps which rows behind a place a device is not sent, because upstream has not sent them: of documents that upstream had shown as they are here
    /// by the end of what it told the device. These are departures that the device was told before, where the document has changed since, and tombstones
    /// in channels that were granted later.
    ///
    /// - Parameter told: What upstream told the device behind the place.
    public func silence(allBut told: UpstreamVisibility.Told, at place: UpstreamSequence) async throws {
        guard let grantee = principal.grantee else { return }
        var query = ChangesQuery()
        query.since = try await position(ofUpstream: place)
        var silent: [JSONValue] = []
        for _ in 0..<Self.silentBatches {
            let batch = try await changes(query)
            silent += try await store.read(as: share) { snapshot in
                try batch.rows.filter { !told.ids.contains(ExactString($0.id)) }.filter { row in
                    guard let key = row.document, let sequence = try snapshot.document(key)?.sequence else { return false }
                    // What has left later than with its last change has left here, by another sync function.
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

    /// Batches of the feed in which rows are looked for that a device is not sent, and how many of these are kept. The others are sent.
    private static var silentBatches: Int { 20 }
    private static var silentRows: Int { 500 }

    /// What all devices of the reader's had seen which had read upstream's feed up to a number.
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

    /// The place at which a reader has to begin at the latest who comes from a place of upstream's feed, so that the feed goes back for every channel of
    /// which the device may lack documents, and tells of all that it is to lose; `nil` where any place will do.
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

/// What a device had seen on the legacy upstream, as far as the feed here has to know it.
struct UpstreamClientState {
    /// The channels of which it had every document up to its place there.
    var channels: Set<ExactString> = []

    /// The places of rows that it is not sent, because upstream had not sent them.
    var silent: Set<String> = []

    /// Our counter when that was learned.
    var learned: SequenceNumber = .zero

    /// The reader's access, with the channels that the device had seen as if they had been granted from the beginning: the feed from its place has all
    /// of their news. A later grant keeps its time: the device may have read on without the channel.
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
