import Authentication
import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore
import ReplicationService
import Storage

/// `_raw/{id}` and `_revtree/{id}`: the stored form of a document, for debugging.
enum RawDocumentEndpoint {
    /// The body with `_sync`, the metadata in Sync Gateway's form. `include_doc=false` leaves the body out.
    ///
    /// `redact=true`, for reports to others, replaces channel names by hashes with `salt`.
    static func get(_ call: DatabaseCall) async throws -> Response {
        let (includesBody, redacts): (Bool, Bool)
        do {
            (includesBody, redacts) = (try call.query.bool("include_doc") ?? true, try call.query.bool("redact") ?? false)
        } catch {
            throw AdminError(.badRequest, error.message)
        }
        guard !(includesBody && redacts) else {
            throw AdminError(
                .badRequest,
                "redact and include_doc cannot be true at the same time. If you want to redact you must specify include_doc=false")
        }
        let salt = redacts ? call.query["salt"] ?? SessionID().text : nil
        let lease = try call.online()
        let id = call.id
        let bytes = try await call.keyspace(lease).read { snapshot in
            try snapshot.document(id).map { try RawDocument($0, salt: salt).rendered(includesBody: includesBody) }
        }
        guard let bytes else { throw AdminError(.notFound, "missing") }
        return ServerAnswer.json(.ok, bytes)
    }

    /// The revision tree in Graphviz's language.
    static func tree(_ call: DatabaseCall) async throws -> Response {
        let lease = try call.online()
        let id = call.id
        guard let text = try await call.keyspace(lease).read({ try $0.document(id).map { RawDocument($0).graph } }) else {
            throw AdminError(.notFound, "missing")
        }
        let body = ResponseBody(byteBuffer: ByteBuffer(string: text))
        return Response(status: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: body)
    }
}

/// A document with its metadata, in the form of Sync Gateway's buckets.
struct RawDocument {
    private let view: DocumentView

    /// The salt of the hashes that replace channel names; `nil` to show the names.
    private let salt: String?

    /// Every revision of the tree, from the leaves to their roots.
    private let revisions: [RevisionID]

    init(_ view: DocumentView, salt: String? = nil) {
        self.view = view
        self.salt = salt
        var seen: Set<RevisionID> = []
        var revisions: [RevisionID] = []
        for leaf in view.tree.leaves {
            revisions += view.tree.history(of: leaf.id, limit: nil, stoppingAt: []).filter { seen.insert($0).inserted }
        }
        self.revisions = revisions
    }

    func rendered(includesBody: Bool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try metadata().append(to: &bytes)
        let body = includesBody ? try view.content(of: view.winner)?.body.properties ?? Array("{}".utf8) : Array("{}".utf8)
        // The body is an object and stays unchanged. The metadata becomes its last member.
        let open = body.lastIndex(of: UInt8(ascii: "}")) ?? body.endIndex
        let isEmpty = body[..<open].allSatisfy { [0x7b, 0x20, 0x09, 0x0a, 0x0d].contains($0) }
        return body[..<open] + Array((isEmpty ? #""_sync":"# : #","_sync":"#).utf8) + bytes + Array("}".utf8)
    }

    /// The tree as a Graphviz graph, with an edge from each revision to each of its children.
    var graph: String {
        let lines = revisions.reversed().map { revision in
            "\(Self.quoted(view.tree.parent(of: revision)?.text ?? "")) -> \(Self.quoted(revision.text)); "
        }
        return "digraph graphname{\(lines.joined())}"
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }.map(String.init).joined())\""
    }

    private func metadata() throws -> JSONValue {
        let record = view.record
        let sequence = JSONValue.number(String((record.sequence ?? record.collectionSequence).value))
        let places = Dictionary(revisions.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var history = [
            JSONMember("revs", .array(revisions.map { .string($0.text) })),
            JSONMember(
                "parents",
                .array(revisions.map { .number(String(view.tree.parent(of: $0).flatMap { places[$0] } ?? -1)) })),
        ]
        let deleted = revisions.indices.filter { view.tree.node(revisions[$0])?.isDeleted == true }
        if !deleted.isEmpty { history.append(JSONMember("deleted", .array(deleted.map { .number(String($0)) }))) }
        history.append(JSONMember("channels", .array(try revisions.map(channels))))
        var members = [
            JSONMember("rev", .string(record.winner.text)), JSONMember("sequence", sequence),
            // The store does not keep earlier sequences.
            JSONMember("recent_sequences", .array([sequence])), JSONMember("history", .object(history)),
            JSONMember("channels", .object(try view.channelEntries().map(channel))),
            JSONMember("time_saved", .string(Timestamp.rfc3339(milliseconds: record.modified))),
        ]
        if view.isDeleted { members.insert(JSONMember("deleted", .bool(true)), at: 1) }
        return .object(members)
    }

    /// The channels of a revision; `null` if it has none, or they are no longer stored.
    private func channels(of revision: RevisionID) throws -> JSONValue {
        let names = try view.channels(of: revision)
        return names.isEmpty ? .null : .array(names.map { .string(shown($0)) })
    }

    private func shown(_ channel: String) -> String {
        salt.map { Self.hash(channel, $0) } ?? channel
    }

    /// The member of a channel: `null` while the document is in the channel, otherwise the sequence and revision of its removal.
    private func channel(_ entry: ChannelEntry) -> JSONMember {
        JSONMember(
            shown(entry.channel),
            entry.leftWith.map {
                .object([JSONMember("seq", .number(String(entry.collectionSequence.value))), JSONMember("rev", .string($0))])
            } ?? .null)
    }

    private static func hash(_ text: String, _ salt: String) -> String {
        Hex.text(AttachmentDigest.sha1(of: Array((salt + text).utf8)).bytes)
    }
}
