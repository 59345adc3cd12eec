import Crypto
import Documents

/// The ID of a replication's checkpoint, computed as Couchbase Lite 1.4 does: the SHA-1 of a JSON object whose keys are sorted
/// (docs/protocol/legacy-1x.md#checkpoint-ids). A client that computes the same ID continues from the same checkpoint.
struct LegacyCheckpointID: Sendable, Hashable {
    /// 40 hexadecimal digits.
    let text: String

    /// The JSON object that is hashed.
    static func specification(
        localUUID: String, direction: ReplicationDirection, settings: ReplicationSettings, remoteURL: String
    ) -> [UInt8] {
        let style = settings.checkpointStyle
        var members: [String: JSONValue] = ["localUUID": .string(localUUID), "push": .bool(direction == .push)]
        if style != .iOS || !settings.continuous { members["continuous"] = .bool(settings.continuous) }
        members["filter"] = settings.effectiveFilter.map { .string($0) }
        let parameters = settings.effectiveFilterParams
        if !parameters.isEmpty { members["filterParams"] = .object(parameters.map { JSONMember($0.key, $0.value) }) }
        if let ids = settings.documentIDs {
            members["docids"] = .array(
                (style == .iOS ? ids : ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }).map { .string($0) })
        }
        if let uuid = settings.customProperties["remoteUUID"]?.string {
            members[style == .dotNet ? "remoteURL" : "remoteUUID"] = .string(uuid)
        } else {
            members["remoteURL"] = .string(remoteURL)
        }
        // Another user may see other documents, so a replication with the legacy upstream begins at the start for another login.
        // Couchbase Lite would continue from the previous user's checkpoint.
        if settings.isUpstream { members["login"] = settings.authenticator?.login.map { .string($0) } }
        var bytes: [UInt8] = []
        JSONValue.object(members.map { JSONMember($0.key, $0.value) }).sorted.append(to: &bytes)
        return bytes
    }

    init(localUUID: String, direction: ReplicationDirection, settings: ReplicationSettings, remoteURL: String) {
        let bytes = Self.specification(localUUID: localUUID, direction: direction, settings: settings, remoteURL: remoteURL)
        text = Hex.text(Insecure.SHA1.hash(data: bytes))
    }
}

extension JSONValue {
    /// The same value with the members of all objects sorted by key.
    fileprivate var sorted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { JSONMember($0.key, $0.value.sorted) })
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}

/// The Couchbase Lite 1.4 platform whose checkpoint IDs are computed.
public enum CheckpointStyle: String, Sendable, Hashable, CaseIterable {
    /// iOS and macOS: `continuous` is included only if false; document IDs are in the given order.
    case iOS
    /// Java and Android: `continuous` is always included; document IDs are sorted.
    case java
    /// .NET: like Java, but a remote UUID takes the place of the URL.
    case dotNet
}
