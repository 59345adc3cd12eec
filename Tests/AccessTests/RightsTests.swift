import SQLiteStorage
import Storage
import Testing

@testable import Access

@Suite("Rights from grants")
struct RightsTests {
    /// A visible collection, a hidden one, and the grants; sequences count from the origin, which is `0` here.
    private struct Scene {
        let transaction: any StoreTransaction
        let orders: CollectionKey
        let secrets: CollectionKey

        init(_ transaction: any StoreTransaction) throws {
            self.transaction = transaction
            try transaction.recordReader()
            orders = try transaction.putCollection(scope: "sales", name: "orders", isHidden: false).key
            secrets = try transaction.putCollection(scope: "sales", name: "secrets", isHidden: true).key
        }

        /// Changes a user or role as an administrator, and returns the sequence of the change.
        @discardableResult
        func put(_ grantee: Grantee, _ change: (inout AccountChange) -> Void = { _ in }) throws -> SequenceNumber {
            var value = AccountChange()
            change(&value)
            _ = try AccountEditor(transaction).put(grantee, value)
            return try transaction.lastSequence
        }

        /// Sets the grants of a document.
        @discardableResult
        func grant(_ grants: [Grant], document: Int64 = 1) throws -> SequenceNumber {
            let sequence = try transaction.nextSequence()
            try transaction.setGrants(Set(grants), from: .document(DocumentKey(document)), at: sequence)
            return sequence
        }

        func access(_ user: String, to collection: CollectionKey = .default) throws -> ChannelAccess {
            try RightsReader.rights(of: .user(user), in: transaction).access(to: collection)
        }
    }

    private func scene(_ body: @escaping @Sendable (Scene) throws -> Void) async throws {
        try await withStore { store in try await store.write { try body(try Scene($0)) } }
    }

    private let alice = Grantee.user("alice")

    @Test("Without grants a user sees only public documents")
    func publicOnly() async throws {
        try await scene { scene in
            try scene.put(alice)
            for collection in [.default, scene.orders, scene.secrets] { #expect(try scene.access("alice", to: collection) == .publicOnly) }
        }
    }

    @Test("A grant for the default collection applies to every collection, also to hidden ones")
    func general() async throws {
        try await scene { scene in
            let admin = try scene.put(alice) { $0.channels = ["a"] }
            let document = try scene.grant([Grant(to: alice, .channel("d", .default))])
            let expected = ["!": SequenceNumber.zero, "a": admin, "d": document]
            #expect(try scene.access("alice").channels == expected)
            #expect(try scene.access("alice", to: scene.orders).channels == expected)
            #expect(try scene.access("alice", to: scene.secrets).channels == expected)
        }
    }

    @Test("A grant for a named collection applies only there")
    func named() async throws {
        try await scene { scene in
            try scene.put(alice)
            let sequence = try scene.grant([
                Grant(to: alice, .channel("o", scene.orders)), Grant(to: alice, .channel("s", scene.secrets)),
            ])
            #expect(try scene.access("alice") == .publicOnly)
            #expect(try scene.access("alice", to: scene.orders).channels == ["!": .zero, "o": sequence])
            #expect(try scene.access("alice", to: scene.secrets).channels == ["!": .zero, "s": sequence])
        }
    }

    @Test("An administrator's grant for a collection replaces the one for the default collection there, and nothing else")
    func replaced() async throws {
        try await scene { scene in
            let first = try scene.put(alice) { $0.channels = ["a"] }
            let document = try scene.grant([Grant(to: alice, .channel("d", .default))])
            let second = try scene.put(alice) { $0.collections = [scene.orders: ["o"]] }
            #expect(try scene.access("alice").channels == ["!": .zero, "a": first, "d": document])
            let orders = try scene.access("alice", to: scene.orders)
            #expect(orders.channels == ["!": .zero, "o": second, "d": document])
            #expect(orders.lost == [LostChannel(channel: "a", granted: first, lost: second)])
            let third = try scene.put(alice) { $0.collections = [scene.orders: nil] }
            let back = try scene.access("alice", to: scene.orders)
            #expect(back.channels == ["!": .zero, "a": third, "d": document])
            let lost = [LostChannel(channel: "a", granted: first, lost: second), LostChannel(channel: "o", granted: second, lost: third)]
            #expect(back.lost == lost)
        }
    }

    @Test("An empty administrator's grant for a collection revokes that of the default collection there")
    func emptied() async throws {
        try await scene { scene in
            try scene.put(alice) { change in
                change.channels = ["a"]
                change.collections = [scene.orders: []]
            }
            #expect(try scene.access("alice", to: scene.orders) == .publicOnly)
        }
    }

    @Test(
        "A role's channel is held from the later of both grants on",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func roleOrder(order: [Int]) async throws {
        try await scene { scene in
            try scene.put(alice)
            var last = SequenceNumber.zero
            for step in order {
                switch step {
                case 0: last = try scene.put(.role("r"))
                case 1: last = try scene.grant([Grant(to: alice, .role("r"))], document: 1)
                default: last = try scene.grant([Grant(to: .role("r"), .channel("c", .default))], document: 2)
                }
            }
            let rights = try RightsReader.rights(of: .user("alice"), in: scene.transaction)
            #expect(rights.access(to: .default).channels == ["!": .zero, "c": last])
            #expect(rights.access(to: scene.orders).channels == ["!": .zero, "c": last])
            #expect(rights.roles == ["r"])
        }
    }

    @Test("A role's channel is lost with the role's grant, the role's channel, and the role itself", arguments: [0, 1, 2])
    func roleLoss(way: Int) async throws {
        try await scene { scene in
            try scene.put(.role("r")) { $0.channels = ["c"] }
            let granted = try scene.put(alice) { $0.roles = ["r"] }
            #expect(try scene.access("alice").channels["c"] == granted)
            switch way {
            case 0: try scene.put(alice) { $0.roles = [] }
            case 1: try scene.put(.role("r")) { $0.channels = [] }
            default: try AccountEditor(scene.transaction).remove(.role("r"))
            }
            let lost = try scene.transaction.lastSequence
            let access = try scene.access("alice")
            #expect(access.channels == ["!": .zero])
            #expect(access.lost == [LostChannel(channel: "c", granted: granted, lost: lost)])
        }
    }

    @Test("A channel with two grants is held without a break while one remains")
    func twoWays() async throws {
        try await scene { scene in
            let first = try scene.put(alice) { $0.channels = ["c"] }
            try scene.put(.role("r")) { $0.channels = ["c"] }
            try scene.put(alice) { $0.roles = ["r"] }
            try scene.put(alice) { $0.channels = [] }
            #expect(try scene.access("alice") == ChannelAccess(channels: ["!": .zero, "c": first]))
            let lost = try scene.put(alice) { $0.roles = [] }
            #expect(try scene.access("alice").lost == [LostChannel(channel: "c", granted: first, lost: lost)])
        }
    }

    @Test("A channel that is granted again is held from then on, and the earlier loss is recorded")
    func regained() async throws {
        try await scene { scene in
            let first = try scene.put(alice) { $0.channels = ["c"] }
            let loss = try scene.put(alice) { $0.channels = [] }
            let again = try scene.put(alice) { $0.channels = ["c"] }
            let lost = LostChannel(channel: "c", granted: first, lost: loss)
            #expect(try scene.access("alice") == ChannelAccess(channels: ["!": .zero, "c": again], lost: [lost]))
        }
    }

    @Test("The wildcard is granted and lost as any other channel")
    func wildcard() async throws {
        try await scene { scene in
            let first = try scene.put(alice) { $0.channels = ["c"] }
            let star = try scene.put(alice) { $0.channels = ["*"] }
            let before = LostChannel(channel: "c", granted: first, lost: star)
            #expect(try scene.access("alice") == ChannelAccess(channels: ["!": .zero, "*": star], lost: [before]))
            let lost = try scene.put(alice) { $0.channels = ["c"] }
            #expect(try scene.access("alice").lost == [before, LostChannel(channel: "*", granted: star, lost: lost)])
        }
    }

    @Test("Grants apply to users who are created later, and to those who are created again")
    func later() async throws {
        try await scene { scene in
            let granted = try scene.grant([Grant(to: alice, .channel("c", .default))])
            #expect(throws: AccessError.self) { try scene.access("alice") }
            try scene.put(alice)
            #expect(try scene.access("alice").channels == ["!": .zero, "c": granted])
            try AccountEditor(scene.transaction).remove(alice)
            try scene.put(alice)
            #expect(try scene.access("alice").channels == ["!": .zero, "c": granted])
        }
    }

    @Test("Grants of a login are added to the administrator's, and end with the next login or the account")
    func login() async throws {
        try await scene { scene in
            let editor = AccountEditor(scene.transaction)
            #expect(throws: AccessError.self) { try editor.setLoginGrants(of: "alice", channels: ["t"]) }
            try scene.put(alice) { $0.collections = [scene.orders: []] }
            try editor.setLoginGrants(of: "alice", channels: ["t", "u"], roles: ["r"])
            #expect(try scene.access("alice", to: scene.orders).channels.keys.sorted() == ["!", "t", "u"])
            #expect(try RightsReader.rights(of: .user("alice"), in: scene.transaction).roles == ["r"])
            try editor.setLoginGrants(of: "alice", channels: ["t"])
            #expect(try scene.access("alice").channels.keys.sorted() == ["!", "t"])
            #expect(try scene.access("alice").lost.map(\.channel) == ["u"])
            try editor.remove(alice)
            try scene.put(alice)
            #expect(try scene.access("alice").channels.keys.sorted() == ["!"])
        }
    }

    @Test("The guest is an account like others, and an administrator needs none")
    func principals() async throws {
        try await scene { scene in
            #expect(try RightsReader.rights(of: .administrator, in: scene.transaction).access(to: scene.secrets) == .full)
            let editor = AccountEditor(scene.transaction)
            try editor.configureGuest(isEnabled: true, channels: ["*"])
            #expect(try RightsReader.rights(of: .guest, in: scene.transaction).access(to: scene.orders).seesEverything)
            try scene.put(.user("GUEST")) { $0.channels = ["g"] }
            try editor.configureGuest(isEnabled: true, channels: ["*"])
            #expect(try !RightsReader.rights(of: .guest, in: scene.transaction).access(to: .default).seesEverything)
            try editor.configureGuest(isEnabled: false, channels: ["*"])
            let error = #expect(throws: AccessError.self) { try RightsReader.rights(of: .guest, in: scene.transaction) }
            #expect(error?.code == .accountDisabled)
        }
    }

    @Test("Rights are cached until a user's access changes")
    func cache() async throws {
        try await withStore { store in
            let cache = RightsCache()
            try await store.write { _ = try Scene($0).put(.user("alice")) { $0.channels = ["a"] } }
            let first = try await store.read { try cache.rights(of: .user("alice"), in: $0) }
            #expect(first.access(to: .default).channels.keys.sorted() == ["!", "a"])
            try await store.write { transaction in
                _ = try Scene(transaction).put(.user("alice")) { $0.channels = ["b"] }
                // Rights in a transaction must not be cached: the transaction may be undone.
                #expect(try cache.rights(of: .user("alice"), in: transaction).access(to: .default).channels["b"] != nil)
            }
            let second = try await store.read { try cache.rights(of: .user("alice"), in: $0) }
            #expect(second.access(to: .default).channels.keys.sorted() == ["!", "b"])
        }
    }
}
