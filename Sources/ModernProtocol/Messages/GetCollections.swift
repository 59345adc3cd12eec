package import BLIP
import Documents
import Foundation
package import Gateway

/// `getCollections`: the collections that the client replicates, and the IDs of their checkpoints
/// (docs/protocol/modern-2x.md#getcollections).
package struct GetCollections {
    /// The collections' names; `nil` for a name that no collection can have.
    package let names: [CollectionName?]
    package let checkpoints: [String]

    /// The UUID of the client's database, which clients since 3.3 send.
    package let client: String?

    package init(_ request: BLIPMessage, limits: SessionLimits) throws {
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
            throw BLIPRequestError(.badRequest, "The body of getCollections is malformed: \(error)")
        }
        guard !paths.isEmpty else { throw BLIPRequestError(.badRequest, "getCollections names no collections") }
        guard paths.count <= limits.collections else {
            throw BLIPRequestError(
                .badRequest, "getCollections names \(paths.count) collections; at most \(limits.collections) are allowed")
        }
        guard paths.count == checkpoints.count else {
            throw BLIPRequestError(.badRequest, "getCollections has \(paths.count) collections and \(checkpoints.count) checkpoint IDs")
        }
        for path in paths where path.utf8.count(where: { $0 == UInt8(ascii: ".") }) > 1 || path.isEmpty {
            throw BLIPRequestError(.badRequest, "\"\(path.prefix(520))\" is not the name of a collection: scope.name, or name alone")
        }
        names = paths.map { CollectionName($0) }
        let known = names.compactMap { $0 }
        guard Set(known).count == known.count else { throw BLIPRequestError(.badRequest, "getCollections names a collection twice") }
        self.checkpoints = checkpoints
        client = request.properties["uuid"].flatMap { UUID(uuidString: $0)?.uuidString.lowercased() }
    }

    /// The request for collections and their checkpoints.
    ///
    /// - Parameter uuid: The 16 bytes that identify the sender's source, if its database has its own versions.
    package static func request(_ collections: [(name: CollectionName, checkpoint: String)], uuid: [UInt8]? = nil) -> BLIPMessage {
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

    /// `scope.name`, or the name alone in the default scope.
    package static func path(_ name: CollectionName) -> String {
        name.scope == "_default" ? name.name : name.description
    }
}

extension UUID {
    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
