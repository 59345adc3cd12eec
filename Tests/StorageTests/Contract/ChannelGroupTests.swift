import Documents
import Storage
import Testing

@Suite("Reads of several channels at once")
struct ChannelGroupTests {
    private static let names = (0..<12).map { "c\($0)" } + ["é\"\\", "a,b"]

    /// Documents in some of the channels; a few have left them.
    private static func fill(_ store: any Store) async throws {
        try await store.write { transaction in
            for number in 0..<40 {
                let document = try #require(try transaction.document(try transaction.add("d\(number)")))
                let channels = Set(Self.names.enumerated().filter { (number + $0.offset) % 5 == 0 }.map(\.element))
                try transaction.setChannels(channels, of: document, at: document.collectionSequence)
                guard number % 7 == 0 else { continue }
                try transaction.setChannels([], of: document, at: try transaction.nextSequence())
            }
        }
    }

    private static func channels(_ snapshot: any StoreSnapshot) throws -> [(name: String, StoredChannel)] {
        try snapshot.channelKeys(Set(Self.names.map { ExactString($0) })).map { ($0.string, StoredChannel($1, in: .default)) }
    }

    private static let directions = [FeedScope.unified, .collection(.default)].flatMap { scope in [(scope, false), (scope, true)] }

    @Test("The rows and first positions are those of each channel's own feed", arguments: StorageEngine.all)
    func equal(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await Self.fill(store)
            try await store.read { snapshot throws in
                let channels = try Self.channels(snapshot)
                #expect(channels.count == Self.names.count)
                let origin = SequenceNumber.newOrigin.value
                for (after, before) in [(0, nil), (origin + 5, origin + 21), (origin + 60, nil), (origin + 7, origin + 8)]
                    as [(Int64, Int64?)]
                {
                    for (scope, isDescending) in Self.directions {
                        let stretch = FeedStretch(
                            after: SequenceNumber(after), before: before.map { SequenceNumber($0) }, limit: .max, isDescending: isDescending
                        )
                        var rows: [StoredChannel: Set<String>] = [:]
                        try snapshot.channelFeed(channels.map(\.1), in: scope, stretch) { channel, row in
                            #expect(rows[channel, default: []].insert(Self.describe(row)).inserted)
                        }
                        var heads: [StoredChannel: SequenceNumber] = [:]
                        try snapshot.channelHeads(channels.map(\.1), in: scope, stretch) { heads[$0] = $1 }
                        for (name, channel) in channels {
                            var own: [ChannelRow] = []
                            try snapshot.channelFeed(name, of: .default, in: scope, stretch) { row in
                                own.append(row)
                                return true
                            }
                            #expect(rows[channel] ?? [] == Set(own.map(Self.describe)))
                            #expect(heads[channel] == own.first?.document.sequence)
                        }
                    }
                }
            }
        }
    }

    @Test("A limit takes the first rows", arguments: StorageEngine.all)
    func limit(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await Self.fill(store)
            try await store.read { snapshot throws in
                let channels = try Self.channels(snapshot).map(\.1)
                for (scope, isDescending) in Self.directions {
                    var whole: [SequenceNumber] = []
                    try snapshot.channelFeed(channels, in: scope, FeedStretch(limit: .max, isDescending: isDescending)) {
                        whole.append($1.document.sequence)
                    }
                    whole.sort { isDescending ? $0 > $1 : $0 < $1 }
                    for limit in [0, 1, 7] {
                        var first: [SequenceNumber] = []
                        try snapshot.channelFeed(channels, in: scope, FeedStretch(limit: limit, isDescending: isDescending)) {
                            first.append($1.document.sequence)
                        }
                        #expect(first.sorted { isDescending ? $0 > $1 : $0 < $1 } == Array(whole.prefix(limit)))
                    }
                }
            }
        }
    }

    @Test(
        "Several collections are read together; unknown names, other collections and no channels yield nothing",
        arguments: StorageEngine.all)
    func places(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await Self.fill(store)
            let orders = try await store.write { transaction in
                let orders = try transaction.putCollection(scope: "sales", name: "orders", isHidden: false).key
                var document = try #require(try transaction.document(unifiedID: "d1"))
                document.collection = orders
                document.collectionSequence = try transaction.nextSequence()
                try transaction.update(document)
                try transaction.setChannels(["c0"], of: document, at: document.collectionSequence)
                return orders
            }
            try await store.read { snapshot throws in
                let key = try #require(try snapshot.channelKeys(["c0", "elsewhere"])["c0"])
                #expect(try snapshot.channelKeys(["c0", "elsewhere"]).count == 1)
                #expect(try snapshot.channelKeys([]).isEmpty)
                func ids(_ channels: [StoredChannel]) throws -> [CollectionKey: Set<String>] {
                    var ids: [CollectionKey: Set<String>] = [:]
                    try snapshot.channelFeed(channels, in: .unified, FeedStretch(limit: .max)) { channel, row in
                        #expect(channel.key == key && row.document.collection == channel.collection)
                        ids[channel.collection, default: []].insert(row.document.id)
                    }
                    var heads: Set<CollectionKey> = []
                    try snapshot.channelHeads(channels, in: .unified, FeedStretch(limit: 1)) { channel, _ in
                        heads.insert(channel.collection)
                    }
                    #expect(heads == Set(ids.keys))
                    return ids
                }
                let both = try ids([StoredChannel(key, in: .default), StoredChannel(key, in: orders)])
                #expect(both[orders] == ["d1"] && both[.default]?.contains("d0") == true && both[.default]?.contains("d1") == false)
                #expect(try ids([StoredChannel(key, in: CollectionKey(99))]).isEmpty)
                #expect(try ids([]).isEmpty)
            }
        }
    }

    private static func describe(_ row: ChannelRow) -> String {
        "\(row.document.sequence) \(row.document.id) \(row.document.revision) \(row.since) \(row.leftWith ?? "")"
    }
}
