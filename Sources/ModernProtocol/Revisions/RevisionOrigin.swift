package import BLIP
package import Documents
package import Gateway
import Storage

/// The kind of names of a client's revisions.
package enum RevisionOrigin: Sendable {
    /// IDs of revision trees.
    case trees

    /// Versions; also tree IDs, if the client's database was upgraded and not fully pushed before.
    ///
    /// The values are the client's copy, if the client has sent its UUID, and whether the client is an administrator.
    case versions(ClientDatabase?, isAdministrator: Bool)

    /// The form in which a pushed revision is written.
    ///
    /// - Throws: `DocumentError` if the revision's name or history is invalid.
    package func kind(of revision: String, _ properties: BLIPProperties) throws -> RevisionWrite.Kind {
        let history = properties["history"]
        if case .versions(let copy, let isAdministrator) = self, RevisionID(revision) == nil {
            var made = VersionedWrite(history: try VersionHistory(rev: revision, history: history), copy: copy)
            try CarriedHistory.add(properties, to: &made, fromAdministrator: isAdministrator)
            return .versioned(made)
        }
        return .replicated(history: try RevisionHistory.parse(rev: revision, history: history), conflicts: .refuse)
    }
}

extension BLIPProperties {
    /// Whether these properties of a `rev` mark a tombstone.
    package var isOfTombstone: Bool {
        self["deleted"].map { $0 != "0" && $0 != "false" } ?? false
    }
}

/// The properties that carry histories between databases with both versions and trees. Sync Gateways send each other the tree in the same
/// way.
package enum CarriedHistory {
    /// The revision's tree ID and those of its ancestors, the newest first. In `subChanges` and `proposeChanges`: the request or the offer
    /// to send them.
    package static let tree = "revTree"

    /// The tree revisions that a bridge has recorded for its clients from before their upgrade: an object of revision IDs by copy. Only
    /// administrators may send and receive them.
    package static let clients = "clientRevisions"

    private static let longestTree = 100

    /// The maximum number of clients of one document, so that they fit into a message's properties.
    private static let mostClients = 500

    /// The value of ``tree``.
    package static func text(_ history: [RevisionID]) -> String {
        history.prefix(longestTree).map(\.modernAlias.text).joined(separator: ",")
    }

    /// The value of ``clients``; `nil` if there are none.
    package static func text(_ clients: [String: RevisionID]) -> String? {
        guard !clients.isEmpty else { return nil }
        var text: [UInt8] = []
        let members = clients.sorted { $0.key < $1.key }.prefix(mostClients)
        JSONValue.object(members.map { JSONMember($0.key, .string($0.value.text)) }).append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Adds the tree and the clients' revisions of these properties to a versioned revision.
    ///
    /// - Throws: ``DocumentError`` or ``BLIPRequestError`` for invalid properties.
    static func add(_ properties: BLIPProperties, to write: inout VersionedWrite, fromAdministrator: Bool) throws {
        if let text = properties[tree], !text.isEmpty {
            let end = text.firstIndex(of: ",")
            write.tree = try RevisionHistory.parse(
                rev: String(text[..<(end ?? text.endIndex)]), history: end.map { String(text[text.index(after: $0)...]) })
        }
        guard fromAdministrator, let text = properties[clients] else { return }
        guard let members = (try? JSONValue(Array(text.utf8)))?.members, members.count <= mostClients else {
            throw BLIPRequestError(.badRequest, "rev: \(clients) has to be an object of at most \(mostClients) revision IDs")
        }
        for member in members {
            guard let revision = member.value.string.flatMap({ RevisionID($0) }), !member.key.isEmpty else { continue }
            write.remembered[member.key] = revision
        }
    }
}
