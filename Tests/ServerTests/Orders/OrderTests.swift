import Documents
import Foundation
import Gateway
import SQLiteStorage
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

/// In any order of operations by operators and clients, no document becomes invisible or visible without a reason.
@Suite("Orders of operations", .timeLimit(.minutes(30)))
struct OrderTests {
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["DUALGAUGE_ORDERS_SEED"].flatMap { UInt64($0) } ?? 1
        return first..<(first + (environment["DUALGAUGE_ORDERS"].flatMap { UInt64($0) } ?? 25))
    }()

    @Test("Every view agrees, and a client that goes on has the documents of a new client", arguments: Self.seeds)
    func order(seed: UInt64) async throws {
        let store = try await OrderedStore(seed: seed)
        for _ in 0..<Int.random(in: 10...40, using: &store.random) { try await store.step() }
        try await store.expectAgreement()
        try await store.close()
    }
}

extension OrderedStore {
    fileprivate func step() async throws {
        switch Int.random(in: 0..<32, using: &random) {
        case 0...5: try await write()
        case 6: try await delete()
        case 7: try await writeInCollection()
        case 8, 9: try await migrate()
        case 10: try await revert()
        case 11, 12: try await restart(try anyServed())
        case 13: try await reload(try anyServed())
        case 14: try await removeAndPut()
        case 15: try await replicate()
        case 16: try await restore()
        case 17: try await rename()
        case 18: try await purgeAndPush()
        case 19: try await serverMigrate()
        case 20, 26, 27, 28: try await changeAccess()
        case 21: try await editLate()
        case 22: try await putConfiguration()
        default: try await pull(Int.random(in: readers.indices, using: &random))
        }
    }

    private func body(_ id: String, _ model: OrderedDocument) -> [UInt8] {
        let channels = model.channels.sorted().map { "\"\($0)\"" }.joined(separator: ",")
        let gift = model.member.map { #","member":"\#($0)","gives":"\#(model.gives ?? "")""# } ?? ""
        let number = Int.random(in: 0...999, using: &random)
        return Array(#"{"channels":[\#(channels)],"type":"\#(model.type)","name":"\#(id)","n":\#(number)\#(gift)}"#.utf8)
    }

    private func anyID() -> String { pick(["", "c::", "p::", "q"]) + String(Int.random(in: 1...6, using: &random)) }

    private func anyModel(type: String? = nil) -> OrderedDocument {
        var model = OrderedDocument(
            channels: Set((0..<2).map { _ in pick(["a", "b", "orders", "!", "z"]) }), type: type ?? pick(["order", "customer", "note"]))
        if rules.givesAccess, chance(1, in: 6) { (model.member, model.gives) = (pick(["dora", "anna"]), pick(["a", "b", "z"])) }
        return model
    }

    private func told(_ model: OrderedDocument) -> String {
        "\(model.channels.sorted())" + (model.member.map { " gives \($0) \(model.gives ?? "")" } ?? "")
    }

    private func put(_ id: String, _ model: OrderedDocument, in keyspace: Keyspace) async throws {
        let parent = try await keyspace.read { try $0.document(id, followingMoves: true)?.winner }
        _ = try await keyspace.write(RevisionWrite(id: id, kind: .edit(parent: parent), isDeleted: false, body: body(id, model)))
    }

    private func write() async throws {
        let (id, model) = (anyID(), anyModel())
        note("write \(id) \(told(model)) \(model.type)")
        try await put(id, model, in: try database.unified)
        documents[id] = model
    }

    private func delete() async throws {
        guard let id = documents.keys.sorted().first else { return }
        note("delete \(id)")
        let keyspace = try database.unified
        let parent = try await keyspace.read { try $0.document(id, followingMoves: true)?.winner }
        _ = try await keyspace.write(RevisionWrite(id: id, kind: .edit(parent: parent), isDeleted: true, body: Array("{}".utf8)))
        documents[id] = nil
    }

    /// A 3.x client edits a document in its collection.
    private func writeInCollection() async throws {
        let database = try database
        let record = pick(database.collectionRecords)
        guard let keyspace = database.keyspace(record.collectionName) else { return }
        let fresh = try await FeedReader.fresh(keyspace)
        guard let id = fresh.keys.sorted().last else { return }
        let old = try await keyspace.revision(.current, of: id)
        guard let name = try JSONValue(old.body.properties)["name"]?.string, let known = documents[name] else { return }
        let model = anyModel(type: known.type)
        note("edit \(name) as \(id) in \(record.collectionName): \(told(model))")
        _ = try await keyspace.write(
            RevisionWrite(id: id, kind: .edit(parent: old.revision), isDeleted: false, body: body(name, model)))
        documents[name] = model
    }

    /// `migrate --in` with a file of routes without functions; sometimes it is killed during the run.
    private func migrate() async throws {
        let routes = try routes()
        let steps = chance(1, in: 3) ? 1 : Int.max
        note("migrate --in by \(routes.count) routes\(steps == 1 ? ", killed" : "")")
        try await command(routes: routes, collections: Set(routes.map(\.collection)).sorted()) { database in
            var run = database.moveSteps(of: try await database.beginMoves(fingerprint: database.routesFingerprint))
            var done = 0
            while done < steps, try await run.next(limit: steps == 1 ? 2 : 50) != nil { done += 1 }
        }
    }

    private func revert() async throws {
        let routes = chance(1, in: 2) ? try routes() : nil
        let isKilled = chance(1, in: 3)
        note("migrate --revert\(isKilled ? ", killed" : "")")
        try await command(routes: routes, collections: Set((routes ?? []).map(\.collection)).sorted()) { database in
            guard let last = try await database.moveRuns().last(where: { $0.state != .reverted }) else { return }
            var run = database.revertSteps(of: last)
            while try await run.next(limit: 2) != nil, !isKilled {}
        }
    }

    private func serverMigrate() async throws {
        let moves = try #require(registry[name]).moves
        let reverts = chance(1, in: 2)
        note("POST _migrations, \(reverts ? "revert" : "start")")
        _ = moves.start(reverts: reverts)
        if chance(1, in: 3) { try await moves.pause() } else { await moves.finished() }
    }

    private func removeAndPut() async throws {
        note("DELETE and PUT")
        try await registry.remove(name)
        try await registry.create(try DatabaseInput(.object([]), name: name))
    }

    /// A script for Sync Gateway 2.x, which has no scopes.
    private func putConfiguration() async throws {
        note("PUT _config")
        let guest = JSONValue.object([JSONMember("disabled", .bool(true))])
        try await registry.configure(name) { _ in try DatabaseInput(.object([JSONMember("guest", guest)]), name: self.name) }
    }

    /// `replicate --to` the store beside the bridge.
    private func replicate() async throws {
        let (id, model) = (anyID(), anyModel())
        note("replicate \(id) \(told(model)) \(model.type)")
        try await command { try await self.put(id, model, in: $0.unified) }
        documents[id] = model
    }

    private func restore() async throws {
        note("backup and restore")
        let backup = folder.url.path + "/backup-\(UUID().uuidString)"
        let served = try #require(registry[name]).served
        let store = try #require(registry[name]?.store as? SQLiteStore)
        try await store.backup(to: backup)
        try await registry.close()
        try FileManager.default.removeItem(atPath: path)
        try SQLiteStore.restore(from: backup, to: path)
        let restored = try SQLiteStore(path: path)
        _ = try await restored.raiseFence()
        try await restored.close()
        try await restart(served)
    }

    private func rename() async throws {
        name = name == "shop" ? "store" : "shop"
        note("rename to \(name)")
        try await reload(try anyServed())
    }

    private func purgeAndPush() async throws {
        guard let id = documents.keys.sorted().last else { return }
        let keyspace = try database.unified
        guard let tree = try await keyspace.read({ try $0.document(id)?.tree }) else { return }
        guard try await !keyspace.purge([id]).isEmpty else { return }
        let model = anyModel()
        note("purge and push \(id) \(told(model)) \(model.type)")
        purged.formUnion(tree.leaves.flatMap { tree.history(of: $0.id, limit: nil, stoppingAt: []).map(\.text) })
        try await put(id, model, in: keyspace)
        documents[id] = model
    }

    /// A 3.x client edits its copy in a collection that the document may have left.
    private func editLate() async throws {
        let reader = pick(readers)
        guard let place = reader.held.keys.filter({ !$0.isEmpty }).sorted().last, let copies = reader.held[place],
            let id = copies.keys.sorted().first, let old = copies[id].flatMap({ RevisionID($0) }),
            let collection = CollectionName(place), let keyspace = try database.keyspace(collection)
        else { return }
        let names = [id, "c::" + id].filter { documents[$0] != nil }
        guard names.count == 1, let name = names.first, let known = documents[name] else { return }
        let model = anyModel(type: known.type)
        let body = body(name, model)
        let revision = try RevisionDigest.syncGateway(parent: old, body: body, isDeleted: false)
        note("late edit of \(name) as \(id) in \(place): \(told(model))")
        do {
            _ = try await keyspace.write(
                RevisionWrite(id: id, kind: .replicated(history: [revision, old], conflicts: .refuse), isDeleted: false, body: body))
            documents[name] = model
        } catch let error as GatewayError where error.code == .conflict {
            note("refused")
        }
    }
}
