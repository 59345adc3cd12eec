import Documents
import Foundation
import Peers

/// The documents of one writer. They are edited in turn: created, changed, deleted, and created again. No other writer edits them, so there are
/// no conflicts, and the final state of each document is known.
struct EditedDocuments {
    /// Depth of the histories that Couchbase Lite 1.x sends.
    private static let depth = 20

    /// Every n-th edit of a document is a deletion.
    private static let life = 8

    private struct Document {
        var number = 0
        var history: [RevisionID] = []
        var version = ""
    }

    let name: String
    let source: SourceID

    /// Channels of the documents; each document stays in one of them.
    let channels: [String]
    private let scope: Scope
    private var documents: [Document]
    private var next = 0
    private var numbers: SeededNumbers

    /// - Parameters:
    ///   - name: Unique among the writers.
    ///   - scope: The part of the database that the writer replicates; it contains all documents.
    init(_ name: String, channels: [String], count: Int, scope: Scope, seed: UInt64) throws {
        self.name = name
        self.scope = scope
        self.channels = channels
        documents = Array(repeating: Document(), count: count)
        numbers = SeededNumbers(seed)
        guard let source = SourceID(AttachmentDigest.sha1(of: Array(name.utf8)).bytes.prefix(SourceID.size)) else {
            throw SoakError("\(name) makes no source ID")
        }
        self.source = source
    }

    /// The UUID that a 4.x client sends, which consists of its source's bytes.
    var uuid: String {
        var digits = AttachmentDigest.sha1(of: Array(name.utf8)).bytes.prefix(SourceID.size).map { String(format: "%02x", $0) }
        for place in [4, 7, 10, 13] { digits.insert("-", at: place) }
        return digits.joined()
    }

    /// The next edits, of other documents than the previous call. A document's edit is repeated until it is acknowledged.
    mutating func edits(_ count: Int) -> [Edit] {
        (0..<min(count, documents.count)).compactMap { _ in
            defer { next = (next + 1) % documents.count }
            return edit(next)
        }
    }

    private mutating func edit(_ index: Int) -> Edit? {
        let document = documents[index]
        let number = document.number + 1
        // A repeated edit has the same revision ID, so that an edit that was stored without an acknowledgement causes no conflict.
        let id = "\(name)-\(index)"
        let digest = AttachmentDigest.sha1(of: Array("\(id)/\(number)".utf8)).bytes.prefix(16).map { String(format: "%02x", $0) }.joined()
        guard let revision = RevisionID("\(number)-\(digest)") else { return nil }
        let type = scope.types[index % scope.types.count]
        let padding = numbers.hex(Int.random(in: 100...900, using: &numbers))
        let body = #"{"type":"\#(type)","n":\#(number),"channels":["\#(channels[index % channels.count])"],"padding":"\#(padding)"}"#
        return Edit(
            id: id, number: number, isDeleted: number % Self.life == 0, history: [revision] + document.history.prefix(Self.depth - 1),
            version: Version(time: UInt64(number) << 16, source: source).description, parentVersion: document.version,
            body: Array(body.utf8))
    }

    mutating func acknowledge(_ edit: Edit) {
        guard let index = edit.id.split(separator: "-").last.flatMap({ Int($0) }), documents.indices.contains(index) else { return }
        documents[index] = Document(number: edit.number, history: edit.history, version: edit.version)
    }
}

/// One edit of a document by its only writer.
struct Edit: Sendable {
    let id: String

    /// Number of the edit, from 1; the document's property `n`.
    let number: Int
    let isDeleted: Bool

    /// Revision IDs, newest first, including this edit's.
    let history: [RevisionID]

    /// The versions of this edit and of its parent, for 4.x clients.
    let version: String
    let parentVersion: String

    /// The document's body.
    let body: [UInt8]

    var revision: PeerRevision { PeerRevision(id: id, history: history, isDeleted: isDeleted, body: body) }
}

/// The documents that a client writes. They outlive its connections.
actor PushedDocuments {
    private var documents: EditedDocuments
    nonisolated let uuid: String

    init(_ documents: EditedDocuments) {
        self.documents = documents
        uuid = documents.uuid
    }

    /// Edits some documents and pushes the edits. Does nothing after the writing phase.
    ///
    /// - Parameter send: Returns once all edits are acknowledged.
    @discardableResult
    func push(_ count: Int, in world: World, _ send: @Sendable ([Edit]) async throws -> Void) async throws -> [Edit] {
        guard world.isWriting else { return [] }
        let edits = documents.edits(count)
        for edit in edits { world.ledger.send(edit.id, edit.number) }
        try await send(edits)
        for edit in edits {
            world.ledger.acknowledge(edit.id, edit.number)
            documents.acknowledge(edit)
        }
        return edits
    }
}
