package import BLIP
package import Documents
package import Gateway
import Storage

/// What a client's revisions are named by.
package enum RevisionOrigin: Sendable {
    /// IDs of revision trees.
    case trees

    /// Versions; and IDs of revision trees where a database was upgraded, and was not pushed whole before.
    ///
    /// The values say where the client has them, if it has told who it is, and whether it is an administrator's.
    case versions(ClientDatabase?, isAdministrator: Bool)

    /// How a pushed revision is written.
    ///
    /// - Throws: `DocumentError` if it is none.
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
    /// Whether those of a `rev` say that its revision is a tombstone.
    package var isOfTombstone: Bool {
        self["deleted"].map { $0 != "0" && $0 != "false" } ?? false
    }
}

/// What goes along with a revision between databases that have versions and trees: Sync Gateways tell each other the tree in the same way.
package enum CarriedHistory {
    /// The revision's ID in the tree, and its ancestors', the newest first. In `subChanges` and `proposeChanges`: the wish to be told, or to tell.
    package static let tree = "revTree"

    /// What clients of a bridge remember of the document from before they were upgraded: an object of IDs by the names of copies. Administrators
    /// alone are told, and believed.
    package static let clients = "clientRevisions"

    private static let longestTree = 100

    /// The most clients of one document, so that they fit into the properties of a message.
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

    /// Adds what these properties say to a revision that has a version.
    ///
    /// - Throws: ``DocumentError`` or ``RequestError`` for what cannot be right.
    static func add(_ properties: BLIPProperties, to write: inout VersionedWrite, fromAdministrator: Bool) throws {
        if let text = properties[tree], !text.isEmpty {
            let end = text.firstIndex(of: ",")
            write.tree = try RevisionHistory.parse(
                rev: String(text[..<(end ?? text.endIndex)]), history: end.map { String(text[text.index(after: $0)...]) })
        }
        guard fromAdministrator, let text = properties[clients] else { return }
        guard let members = (try? JSONValue(Array(text.utf8)))?.members, members.count <= mostClients else {
            throw RequestError(.badRequest, "rev: \(clients) has to be an object of at most \(mostClients) revision IDs")
        }
        for member in members {
            guard let revision = member.value.string.flatMap({ RevisionID($0) }), !member.key.isEmpty else { continue }
            write.remembered[member.key] = revision
        }
    }
}
