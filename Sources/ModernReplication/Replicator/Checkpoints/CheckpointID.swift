import Crypto
import Foundation
import Gateway

/// The name of a collection's checkpoint, here and on the server, as LiteCore computes it (docs/protocol/modern-2x.md#checkpoint-ids).
///
/// The name of the default collection's does not tell a push from a pull; those of others do.
struct CheckpointID: Sendable {
    /// The local database's private UUID, 16 bytes.
    let database: [UInt8]
    let collection: CollectionName
    let type: ReplicatorType

    /// The URL of the other side, with its port and `/_blipsync`.
    let remote: String
    var channels: [String] = []
    var documentIDs: [String] = []

    /// The value of the property `client`.
    var text: String {
        let isDefault = collection == .default
        var items: [FleeceEncoder.Value] = [.string(database)]
        if !isDefault {
            items += [.string(collection.name), .string(collection.scope), .bool(type.pulls), .bool(type.pushes)]
        }
        items.append(.string(remote))
        if !channels.isEmpty || !documentIDs.isEmpty {
            items += [list(channels), .null, .null, list(documentIDs)]
        }
        let encoded = FleeceEncoder.encode(.array(items))
        let hash = isDefault ? Data(Insecure.SHA1.hash(data: encoded)) : Data(SHA256.hash(data: encoded))
        return "cp-" + hash.base64EncodedString()
    }

    private func list(_ strings: [String]) -> FleeceEncoder.Value {
        strings.isEmpty ? .null : .array(strings.map { .string($0) })
    }
}
