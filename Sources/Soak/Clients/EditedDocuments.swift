import Documents
import Foundation
import Peers

/// The documents of one writer, edited in turn: created, changed, deleted, and created again. As nobody else writes them, there are no conflicts, and
/// the end of a document is known.
struct EditedDocuments {
    /// As deep as Couchbase Lite 1.x sends histories.
    private static let depth = 20

    /// Every so many edits of a document one deletes it.
    private static let life = 8

    private struct Document {
        var number = 0
        var history: [RevisionID] = []
        var version = ""
    }

    let name: String
    let source: SourceID

    /// A document is in one channel, always the same.
    let channels: [String]
    private let scope: Scope
    private var documents: [Document]
    private var next = 0
    private var numbers: SeededNumbers

    /// - Parameters:
    ///   - name: No other writer has it.
    ///   - scope: The part of the database that the writer replicates. All documents are in it.
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

    /// The UUID that a 4.x client sends: its source's bytes.
    var uuid: String {
        var digits = AttachmentDigest.sha1(of: Array(name.utf8)).bytes.prefix(SourceID.size).map { String(format: "%02x", $0) }
        for place in [4, 7, 10, 13] { digits.insert("-", at: place) }
        return digits.joined()
    }

    /// The next edits, of other documents than last time. A document's edit is the same one until it is acknowledged.
    mutating func edits(_ count: Int) -> [Edit] {
        (0..<min(count, documents.count)).compactMap { _ in
            defer { next = (next + 1) % documents.count }
            return edit(next)
        }
    }

    private mutating func edit(_ index: Int) -> Edit? {
        let document = documents[index]
        let number = document.number + 1
        // The same edit has the same ID, however often it is sent: an edit that was stored without an acknowledgement is no conflict.
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

/// One edit of a document by the only client that writes it.
struct Edit: Sendable {
    let id: String

    /// From 1; the document's property `n`.
    let number: Int
    let isDeleted: Bool

    /// Newest first, this one's included.
    let history: [RevisionID]

    /// As a 4.x client names it, and the edit before it.
    let version: String
    let parentVersion: String

    /// The document's own properties.
    let body: [UInt8]

    var revision: PeerRevision { PeerRevision(id: id, history: history, isDeleted: isDeleted, body: body) }
}

/// The documents that a client writes, for all its lives.
actor PushedDocuments {
    private var documents: EditedDocuments
    nonisolated let uuid: String

    init(_ documents: EditedDocuments) {
        self.documents = documents
        uuid = documents.uuid
    }

    /// Edits some documents and pushes the edits. Nothing is pushed when the time for writing is over.
    ///
    /// - Parameter send: returns when all are acknowledged.
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
