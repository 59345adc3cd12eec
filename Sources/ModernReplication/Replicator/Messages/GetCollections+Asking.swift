import BLIP
import Documents
import Foundation
import Gateway

extension GetCollections {
    /// The request for collections and their checkpoints.
    ///
    /// - Parameter uuid: Who asks, where that has versions of its own: the 16 bytes that name their source.
    static func request(_ collections: [(name: CollectionName, checkpoint: String)], uuid: [UInt8]? = nil) -> BLIPMessage {
        var body: [UInt8] = []
        JSONWriter.append(raw: "{\"checkpoint_ids\":", to: &body)
        JSONValue.array(collections.map { .string($0.checkpoint) }).append(to: &body)
        JSONWriter.append(raw: ",\"collections\":", to: &body)
        JSONValue.array(collections.map { .string(path($0.name)) }).append(to: &body)
        body.append(UInt8(ascii: "}"))
        var properties = BLIPProperties()
        if let uuid = uuid.flatMap({ UUID(bytes: $0) }) { properties.add("uuid", uuid.uuidString.lowercased()) }
        return .request("getCollections", properties: properties, body: body)
    }

    /// The checkpoints that were found, each `nil` where there is none yet.
    ///
    /// - Throws: ``ReplicatorError``: 404 for a collection that the server does not have.
    static func found(in reply: BLIPMessage, for names: [CollectionName]) throws -> [KeptCheckpoint?] {
        guard reply.type == .reply else {
            guard reply.errorDomain == "BLIP", reply.errorCode == 404 else { throw ReplicatorError(reply, to: "getCollections") }
            throw ReplicatorError(.httpNotFound, "The server knows no collections but the default one; replicate that alone, or update it")
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
            return KeptCheckpoint(body, revision: nil)
        }
    }

    /// `scope.name`, or the name alone in the default scope.
    static func path(_ name: CollectionName) -> String {
        name.scope == "_default" ? name.name : name.description
    }
}

extension UUID {
    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
