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

    @Test("The rows and first positions are those of each channel's own feed", arguments: StorageEngine.all)
    func equal(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await Self.fill(store)
            try await store.read { snapshot throws in
                let keys = try snapshot.channelKeys(Set((Self.names + ["elsewhere"]).map { ExactString($0) }))
                #expect(keys.count == Self.names.count)
                let origin = SequenceNumber.newOrigin.value
                let channels = Array(keys.values)
                for (after, before) in [(0, nil), (origin + 5, origin + 21), (origin + 60, nil), (origin + 7, origin + 8)]
                    as [(Int64, Int64?)]
                {
                    for (scope, isDescending) in [
                        (FeedScope.unified, false), (.unified, true), (.collection(.default), false), (.collection(.default), true),
                    ] {
                        let stretch = FeedStretch(
                            after: SequenceNumber(after), before: before.map { SequenceNumber($0) }, limit: 1_000,
                            isDescending: isDescending)
                        var rows: [ChannelKey: Set<String>] = [:]
                        try snapshot.channelFeed(channels, of: .default, in: scope, stretch) { channel, row in
                            #expect(rows[channel, default: []].insert(Self.describe(row)).inserted)
                        }
                        var heads: [ChannelKey: SequenceNumber] = [:]
                        try snapshot.channelHeads(channels, of: .default, in: scope, stretch) { heads[$0] = $1 }
                        for (name, key) in keys {
                            var own: [ChannelRow] = []
                            try snapshot.channelFeed(name.string, of: .default, in: scope, stretch) { row in
                                own.append(row)
                                return true
                            }
                            #expect(rows[key] ?? [] == Set(own.map(Self.describe)))
                            #expect(heads[key] == own.first?.document.sequence)
                        }
                    }
                }
            }
        }
    }

    @Test("No more rows are read than the limit, and none of other collections or without channels", arguments: StorageEngine.all)
    func bounds(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await Self.fill(store)
            try await store.read { snapshot throws in
                let channels = Array(try snapshot.channelKeys(Set(Self.names.map { ExactString($0) })).values)
                var count = 0
                try snapshot.channelFeed(channels, of: .default, in: .unified, FeedStretch(limit: 7)) { _, _ in count += 1 }
                #expect(count == 7)
                try snapshot.channelFeed(channels, of: CollectionKey(9), in: .unified, FeedStretch(limit: 7)) { _, _ in count += 1 }
                try snapshot.channelFeed([], of: .default, in: .unified, FeedStretch(limit: 7)) { _, _ in count += 1 }
                try snapshot.channelHeads([], of: .default, in: .unified, FeedStretch(limit: 7)) { _, _ in count += 1 }
                #expect(count == 7)
                #expect(try snapshot.channelKeys([]).isEmpty)
            }
        }
    }

    private static func describe(_ row: ChannelRow) -> String {
        "\(row.document.sequence) \(row.document.id) \(row.document.revision) \(row.since) \(row.leftWith ?? "")"
    }
}
