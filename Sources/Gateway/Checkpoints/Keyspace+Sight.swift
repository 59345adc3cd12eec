public import Access
import Documents
public import Storage

/// What devices had seen on the legacy upstream. A feed goes back for channels that were granted after a device's place there, and for those alone.
extension Keyspace {
    /// The place that a checkpoint names, as its client wrote it; `nil` if it names none.
    public static func place(in checkpoint: LocalDocument) -> String? {
        CheckpointBody(checkpoint.body)?.places(.local).first
    }

    /// The channels that the reader can see, where it is yet to be learned which of them a device at a place of upstream's feed has seen.
    ///
    /// - Returns: `nil` where nothing has to be learned.
    public func unlearnedChannels(at place: UpstreamSequence) async throws -> Set<String>? {
        guard scope == .unified, !place.isStart, let grantee = principal.grantee else { return nil }
        return try await store.read { snapshot in
            guard try snapshot.upstream() != nil, try snapshot.upstreamSight(of: grantee.name, at: place.name) == nil else { return nil }
            let channels = Set(access(of: try rights(in: snapshot)).values.flatMap(\.channels.keys))
            return channels.subtracting([ChannelAccess.everyone, ChannelAccess.everything]).filter { !CollectionChannel.isOne($0) }
        }
    }

    /// Keeps what a device at a place of upstream's feed had seen.
    ///
    /// What was granted there later is granted here at the place in our feed that corresponds, so that those who lack the channel's documents, and only
    /// those, get them. Devices that are here already may be offered rows again.
    public func learn(_ sight: UpstreamSight, at place: UpstreamSequence) async throws {
        guard let grantee = principal.grantee else { return }
        var json: [UInt8] = []
        JSONValue.array(sight.channels.sorted().map { .string($0) }).append(to: &json)
        let channels = String(decoding: json, as: UTF8.self)
        try await store.write { transaction in
            try transaction.setUpstreamSight(channels, of: grantee.name, at: place.name, time: Timestamp.now)
            for (channel, granted) in sight.later where granted < .max {
                let since = try UpstreamTranslation(snapshot: transaction).position(of: UpstreamSequence(String(granted)))
                if let since, since > .origin { try transaction.raiseGrants(of: channel, to: grantee, at: since) }
            }
        }
    }

    /// The place before which a reader has to begin who comes from a place of upstream's feed, so that the feed goes back for every channel of which the
    /// device may lack documents; `nil` if it lacks none.
    func lowest(from place: UpstreamSequence, in snapshot: any StoreSnapshot) throws -> Sequence? {
        guard let grantee = principal.grantee else { return nil }
        var seen: Set<ExactString> = []
        if let json = try snapshot.upstreamSight(of: grantee.name, at: place.name) {
            seen = Set((try JSONValue(Array(json.utf8)).array ?? []).compactMap { $0.string.map { ExactString($0.composed) } })
        }
        guard !seen.contains(ExactString(ChannelAccess.everything)) else { return nil }
        let unseen = access(of: try rights(in: snapshot)).values.flatMap(\.channels).filter { channel, _ in
            channel != ChannelAccess.everyone && !seen.contains(ExactString(channel))
        }
        return unseen.map(\.value).min().map { Sequence(max(0, $0.value - 1)) }
    }
}
