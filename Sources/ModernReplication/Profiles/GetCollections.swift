import BLIP
import Documents
import Foundation
import Gateway
import Storage

/// `getCollections`: which collections the client means to replicate, and under which IDs it keeps their checkpoints
/// (docs/protocol/modern-2x.md#getcollections).
struct GetCollections {
    /// The names; `nil` for those that no collection can have.
    let names: [CollectionName?]
    let checkpoints: [String]

    /// The UUID of the client's database, which clients since 3.3 tell.
    let client: String?

    init(_ request: BLIPMessage, limits: SessionLimits) throws {
        var paths: [String] = []
        var checkpoints: [String] = []
        do {
            try JSONReader.read(request.body) { reader in
                try reader.object { key, value in
                    if key == "collections" {
                        try value.array { paths.append(try $0.string()) }
                    } else if key == "checkpoint_ids" {
                        try value.array { checkpoints.append(try $0.string()) }
                    }
                }
            }
        } catch {
            throw RequestError(.badRequest, "The body of getCollections is malformed: \(error)")
        }
        guard !paths.isEmpty else { throw RequestError(.badRequest, "getCollections names no collections") }
        guard paths.count <= limits.collections else {
            throw RequestError(.badRequest, "getCollections names \(paths.count) collections; at most \(limits.collections) are allowed")
        }
        guard paths.count == checkpoints.count else {
            throw RequestError(.badRequest, "getCollections has \(paths.count) collections and \(checkpoints.count) checkpoint IDs")
        }
        for path in paths where path.utf8.count(where: { $0 == UInt8(ascii: ".") }) > 1 || path.isEmpty {
            throw RequestError(.badRequest, "\"\(path.prefix(520))\" is not the name of a collection: scope.name, or name alone")
        }
        names = paths.map { CollectionName($0) }
        let known = names.compactMap { $0 }
        guard Set(known).count == known.count else { throw RequestError(.badRequest, "getCollections names a collection twice") }
        self.checkpoints = checkpoints
        client = request.properties["uuid"].flatMap { UUID(uuidString: $0)?.uuidString.lowercased() }
    }

    /// The list of what was found: a checkpoint with its revision, `{}` where there is none yet, `null` for no such collection.
    static func body(_ found: [Item]) -> [UInt8] {
        var body: [UInt8] = [UInt8(ascii: "[")]
        for (index, item) in found.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            switch item {
            case .missing: JSONWriter.append(raw: "null", to: &body)
            case .empty: JSONWriter.append(raw: "{}", to: &body)
            case .checkpoint(let checkpoint): append(checkpoint, to: &body)
            }
        }
        body.append(UInt8(ascii: "]"))
        return body
    }

    enum Item: Sendable {
        case missing
        case empty
        case checkpoint(Checkpoint)
    }

    /// LiteCore reads the revision from `rev`; Sync Gateway, and clients made for it, call it `_rev`.
    private static func append(_ checkpoint: Checkpoint, to body: inout [UInt8]) {
        var revision: [UInt8] = []
        for key in ["rev", "_rev"] {
            if !revision.isEmpty { revision.append(UInt8(ascii: ",")) }
            JSONWriter.append(key: key, to: &revision)
            JSONWriter.append(checkpoint.revision, to: &revision)
        }
        body.append(contentsOf: JSONObject.adding(revision, to: checkpoint.body))
    }
}

extension ModernSession {
    func getCollections(_ request: BLIPMessage) throws {
        let collections = try GetCollections(request, limits: limits)
        let keyspaces = try self.collections.open(collections.names)
        clientUUID = collections.client
        keyspaces.lazy.compactMap { $0 }.first?.database.greet(ClientKind(generation: 3, agent: client.userAgent))
        answer(request) { session in
            var found: [GetCollections.Item] = []
            for (handle, (keyspace, id)) in zip(keyspaces, collections.checkpoints).enumerated() {
                guard let keyspace else {
                    found.append(.missing)
                    continue
                }
                session.collections[handle]?.checkpoint = id
                if keyspace.scope == .collection(.default) {
                    session.collections[handle]?.wasUnified = try await Checkpoint.read(id, from: keyspace.database.unified) != nil
                }
                let checkpoint = try await Checkpoint.read(id, from: keyspace)
                if checkpoint != nil { session.collections[handle]?.pull.hasCheckpoint = true }
                found.append(checkpoint.map { .checkpoint($0) } ?? .empty)
            }
            return .reply(to: request.number, body: GetCollections.body(found), isCompressed: true)
        }
    }
}
