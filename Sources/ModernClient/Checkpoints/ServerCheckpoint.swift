import BLIP
import Documents
import Gateway
import ModernProtocol

/// A checkpoint that the server has stored.
struct ServerCheckpoint: Sendable, Hashable {
    /// The revision that the next save has to name.
    let revision: String?

    /// The checkpoint's content; empty if it is malformed, as if there were no checkpoint.
    let checkpoint: ReplicationCheckpoint

    /// - Parameter revision: The revision, if it is not in the body. LiteCore's listeners name it `rev` in the body, Sync Gateway `_rev`
    ///   (docs/protocol/modern-2x.md#checkpoint-messages).
    init(_ body: [UInt8], revision: String?) {
        checkpoint = (try? ReplicationCheckpoint(body)) ?? ReplicationCheckpoint()
        let value = try? JSONValue(body)
        self.revision = revision ?? value?["rev"]?.string ?? value?["_rev"]?.string
    }
}

extension GetCheckpoint {
    /// The server's checkpoint; `nil` if it has none by this name.
    static func found(in reply: BLIPMessage) throws -> ServerCheckpoint? {
        guard reply.type == .reply else {
            guard reply.errorDomain == "HTTP" || reply.errorDomain == "LiteCore", [404, 7].contains(reply.errorCode) else {
                throw ReplicatorError(reply, to: "getCheckpoint")
            }
            return nil
        }
        return ServerCheckpoint(reply.body, revision: reply.properties["rev"])
    }
}

extension GetCollections {
    /// The checkpoints of the collections, each `nil` if the server has none.
    ///
    /// - Throws: ``ReplicatorError``: 404 for a collection that the server does not have.
    static func found(in reply: BLIPMessage, for names: [CollectionName]) throws -> [ServerCheckpoint?] {
        guard reply.type == .reply else {
            guard reply.errorDomain == "BLIP", reply.errorCode == 404 else { throw ReplicatorError(reply, to: "getCollections") }
            throw ReplicatorError(
                .httpNotFound, "The server supports the default collection alone; replicate only that collection, or update the server")
        }
        guard let items = (try? JSONValue(reply.body))?.array, items.count == names.count else {
            throw ReplicatorError(.remoteError, "The server's answer to getCollections is not a list of \(names.count) items")
        }
        return try zip(names, items).map { name, item in
            guard item.members != nil else {
                throw ReplicatorError(.httpNotFound, "Collection '\(path(name))' is not found on the remote server")
            }
            guard item.members?.isEmpty == false else { return nil }
            var body: [UInt8] = []
            item.append(to: &body)
            return ServerCheckpoint(body, revision: nil)
        }
    }
}
