import BLIP
import Documents
import Gateway
import Storage

/// What goes along with a revision between databases that have versions and trees: Sync Gateways tell each other the tree in the same way.
enum TakenAlong {
    /// The revision's ID in the tree, and its ancestors', the newest first. In `subChanges` and `proposeChanges`: the wish to be told, or to tell.
    static let tree = "revTree"

    /// What clients of a bridge remember of the document from before they were upgraded: an object of IDs by the names of copies. Administrators
    /// alone are told, and believed.
    static let clients = "clientRevisions"

    private static let longestTree = 100

    /// The most clients of one document, so that they fit into the properties of a message.
    private static let mostClients = 500

    /// The value of ``tree``.
    static func text(_ history: [RevisionID]) -> String {
        history.prefix(longestTree).map(\.modernAlias.text).joined(separator: ",")
    }

    /// The value of ``clients``; `nil` if there are none.
    static func text(_ clients: [String: RevisionID]) -> String? {
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
