import Documents
import SQLiteStorage
import Storage
import Testing

@Suite("Grants")
struct GrantTests {
    private let alice = Grantee.user("alice")
    private let news = Permission.channel("news", .default)

    private func at(_ number: Int64) -> SequenceNumber { SequenceNumber(number) }

    /// Sets the grants of a source to alice.
    private func give(
        _ permissions: [Permission], from source: GrantSource, at number: Int64, in transaction: any StoreTransaction
    ) throws -> Bool {
        try transaction.setGrants(Set(permissions.map { Grant(to: alice, $0) }), from: source, at: at(number))
    }

    @Test(
        "A grant is held from its first change, keeps that when it is set again, and is recorded when it is lost",
        arguments: StorageEngine.all)
    func lifecycle(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let admin = GrantSource.administrator(alice)
                #expect(try give([news, .role("r")], from: admin, at: 5, in: transaction))
                #expect(try !give([news, .role("r")], from: admin, at: 6, in: transaction))
                #expect(try give([news], from: admin, at: 7, in: transaction))
                #expect(try give([news, .role("r")], from: admin, at: 9, in: transaction))
                let found = Set(try transaction.grants(to: alice))
                #expect(
                    found == [
                        GrantRecord(permission: news, giver: .administrator, granted: at(5)),
                        GrantRecord(permission: .role("r"), giver: .administrator, granted: at(5), lost: at(7)),
                        GrantRecord(permission: .role("r"), giver: .administrator, granted: at(9)),
                    ])
            }
        }
    }

    @Test("A grant with another source is not lost, and is held since the earlier of both", arguments: StorageEngine.all)
    func severalDocuments(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let a = try transaction.add("a")
                let b = try transaction.add("b")
                _ = try give([news], from: .document(a), at: 5, in: transaction)
                _ = try give([news], from: .document(b), at: 8, in: transaction)
                _ = try give([], from: .document(a), at: 12, in: transaction)
                #expect(try transaction.grants(to: alice) == [GrantRecord(permission: news, giver: .document, granted: at(5))])
                _ = try give([], from: .document(b), at: 15, in: transaction)
                #expect(
                    try transaction.grants(to: alice) == [GrantRecord(permission: news, giver: .document, granted: at(5), lost: at(15))])
            }
        }
    }

    @Test(
        "Sources do not touch each other's grants", arguments: StorageEngine.all,
        [GrantSource.administrator(.user("alice")), .login(.user("alice")), nil])
    func sources(_ engine: StorageEngine, remaining: GrantSource?) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let document = GrantSource.document(try transaction.add("a"))
                let all = [GrantSource.administrator(alice), .login(alice), document]
                for source in all { _ = try give([news], from: source, at: 3, in: transaction) }
                for source in all where source != remaining ?? document { _ = try give([], from: source, at: 4, in: transaction) }
                let held = try transaction.grants(to: alice).filter { $0.lost == nil }
                #expect(held.map(\.giver) == [(remaining ?? document).giver])
                #expect(try transaction.grants(from: remaining ?? document) == [Grant(to: alice, news)])
            }
        }
    }

    @Test("A grant that is set and removed in one change never existed", arguments: StorageEngine.all)
    func noTime(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                _ = try give([news], from: .administrator(alice), at: 4, in: transaction)
                _ = try give([], from: .administrator(alice), at: 4, in: transaction)
                #expect(try transaction.grants(to: alice).isEmpty)
            }
        }
    }

    @Test("The losses of one grant have a limit: the oldest are merged", arguments: StorageEngine.all)
    func bounded(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for round in 0..<15 {
                    _ = try give([news], from: .administrator(alice), at: Int64(round * 10 + 1), in: transaction)
                    _ = try give([], from: .administrator(alice), at: Int64(round * 10 + 5), in: transaction)
                }
                let losses = try transaction.grants(to: alice).sorted { $0.granted < $1.granted }
                #expect(losses.count == 10)
                #expect(losses.first == GrantRecord(permission: news, giver: .administrator, granted: at(1), lost: at(55)))
                #expect(losses.last == GrantRecord(permission: news, giver: .administrator, granted: at(141), lost: at(145)))
            }
        }
    }

    @Test("A purge removes a document's grants, with a sequence of its own", arguments: StorageEngine.all)
    func purge(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let key = try await store.write { transaction in
                let key = try transaction.add("a")
                _ = try transaction.setGrants([Grant(to: alice, news)], from: .document(key), at: transaction.lastSequence)
                return key
            }
            let before = try await store.read { try $0.lastSequence }
            try await store.write { try $0.purge(key) }
            let grants = try await store.read { try $0.grants(to: alice) }
            #expect(grants == [GrantRecord(permission: news, giver: .document, granted: before, lost: at(before.value + 1))])
            try await store.expectSound()
        }
    }

    @Test("A record of one grantee cannot be set for another", arguments: StorageEngine.all)
    func foreign(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            await expectError(.invalidArgument) {
                try await store.write { transaction in
                    _ = try transaction.setGrants([Grant(to: .user("bob"), news)], from: .administrator(alice), at: at(1))
                }
            }
        }
    }

    @Test(
        "The version changes with principals and grants, not with documents, and is unknown in an uncommitted change",
        arguments: StorageEngine.all)
    func version(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let first = try #require(try await store.read { try $0.accessVersion })
            try await store.write { transaction in
                try transaction.add("a")
                #expect(try transaction.accessVersion == first)
            }
            #expect(try await store.read { try $0.accessVersion } == first)
            try await store.write { transaction in
                _ = try give([news], from: .administrator(alice), at: 5, in: transaction)
                #expect(try transaction.accessVersion == nil)
            }
            let second = try #require(try await store.read { try $0.accessVersion })
            #expect(second != first)
            await #expect(throws: CancellationError.self) {
                try await store.write { transaction in
                    try transaction.setPrincipal(PrincipalRecord(grantee: alice, sequence: at(1), record: []))
                    throw CancellationError()
                }
            }
            #expect(try await store.read { try $0.accessVersion } == second)
            #expect(try await store.read { try $0.principal(alice) } == nil)
        }
    }

    @Test("The users with access changes since a version are known, and an undone change is not among them", arguments: StorageEngine.all)
    func unchanged(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let bob = Grantee.user("bob")
            func unchanged(_ grantees: Set<Grantee>, since version: Int64) async throws -> Bool {
                try await store.read { try $0.isAccessUnchanged(of: grantees, since: version) }
            }
            let first = try #require(try await store.read { try $0.accessVersion })
            try await store.write { transaction in
                _ = try give([news], from: .administrator(alice), at: 5, in: transaction)
                #expect(try !transaction.isAccessUnchanged(of: [alice], since: first))
                #expect(try transaction.isAccessUnchanged(of: [bob], since: first))
            }
            #expect(try await !unchanged([alice, bob], since: first))
            #expect(try await unchanged([bob, .role("alice")], since: first))
            let second = try #require(try await store.read { try $0.accessVersion })
            #expect(try await unchanged([alice], since: second))
            await #expect(throws: CancellationError.self) {
                try await store.write { transaction in
                    try transaction.setPrincipal(PrincipalRecord(grantee: bob, sequence: at(1), record: []))
                    throw CancellationError()
                }
            }
            #expect(try await unchanged([alice, bob], since: second))
            try await store.write { _ = try $0.putCollection(scope: "a", name: "b", isHidden: nil, syncFunction: nil) }
            #expect(try await !unchanged([.user("nobody")], since: second))
            try await store.write { try $0.removePrincipal(bob) }
            let third = try #require(try await store.read { try $0.accessVersion })
            #expect(try await !unchanged([bob], since: third - 1))
            #expect(try await unchanged([alice], since: third - 1))
        }
    }

    @Test("An access change wakes followers of every scope", arguments: StorageEngine.all)
    func wakes(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            var quiet = store.commits(for: .collection(CollectionKey(7))).makeAsyncIterator()
            try await store.write { _ = try give([news], from: .administrator(alice), at: 5, in: $0) }
            let commit = await quiet.next()
            #expect(commit?.touchesAccess == true)
            #expect(commit?.touchesUnified == false)
        }
    }
}
