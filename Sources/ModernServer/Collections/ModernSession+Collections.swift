import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

extension ModernSession {
    func getCollections(_ request: BLIPMessage) throws {
        let collections = try GetCollections(request, limits: limits)
        let keyspaces = try self.collections.open(collections.names)
        clientUUID = collections.client
        keyspaces.lazy.compactMap { $0 }.first?.database.logFirstClient(ClientKind(generation: 3, agent: client.userAgent))
        answer(request) { session in
            var found: [GetCollections.Item] = []
            for (handle, (keyspace, id)) in zip(keyspaces, collections.checkpoints).enumerated() {
                guard let keyspace else {
                    found.append(.missing)
                    continue
                }
                session.collections[handle]?.checkpoint = id
                let checkpoint = try await Checkpoint.read(id, from: keyspace)
                if keyspace.scope == .collection(.default), try await Checkpoint.read(id, from: keyspace.database.unified) != nil {
                    session.collections[handle]?.past = checkpoint == nil ? .last : .earlier
                }
                if checkpoint != nil { session.collections[handle]?.pull.hasCheckpoint = true }
                found.append(checkpoint.map { .checkpoint($0) } ?? .empty)
            }
            return .reply(to: request.number, body: GetCollections.body(found), isCompressed: true)
        }
    }
}

extension GetCollections {
    enum Item: Sendable {
        case missing
        case empty
        case checkpoint(Checkpoint)
    }

    /// The reply's list: a checkpoint with its revision, `{}` for a collection without a checkpoint, `null` for a collection that does not
    /// exist.
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

    /// LiteCore reads the revision from `rev`. Sync Gateway, and clients made for it, use `_rev`.
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
