import Documents
import Foundation

/// A document of a dump, with the metadata of its row.
struct DumpDocument {
    private let document: ParsedDocument
    private let bytes: ArraySlice<UInt8>

    /// Sequence of the document in the dumped feed.
    var sequence: String?

    /// Leaves that the row lists.
    var leaves: [RevisionID] = []

    init(_ document: ParsedDocument, bytes: ArraySlice<UInt8>) {
        self.document = document
        self.bytes = bytes
    }

    func items(place: String, bodyBytes: Int) -> [SourceItem] {
        do {
            var assembler = try DocumentAssembler(id: Array((document.id ?? "").utf8))
            do {
                try add(to: &assembler, bodyBytes: bodyBytes)
            } catch {
                assembler.refuse(document.revision?.text, (error as? DocumentError)?.message ?? "\(error)", bytes: Array(bytes))
            }
            return assembler.items(sequence: sequence, expiry: expiry).map { $0.located(at: place) }
        } catch {
            var fault = error
            (fault.bytes, fault.length) = (Array(bytes), bytes.count)
            return [SourceItem.fault(fault).located(at: place)]
        }
    }

    private func add(to assembler: inout DocumentAssembler, bodyBytes: Int) throws {
        guard document.body.count <= bodyBytes else {
            assembler.refuse(
                document.revision?.text, "its body has \(document.body.count) bytes, and \(bodyBytes) are allowed", bytes: Array(bytes))
            return
        }
        var attachments = try document.attachments.map { try AttachmentSet($0) }
        attachments?.removeForeignDigests()
        // A document that was exported without revisions gets the revision ID that a server would generate. It is the same in each run.
        let revision =
            try document.revision ?? RevisionDigest.syncGateway(parent: nil, body: document.body, isDeleted: document.isDeleted)
        let history = document.history ?? [revision]
        try RevisionHistory.validate(history)
        assembler.add(document, history: history, isLeaf: true, isDeleted: document.isDeleted, attachments: attachments)
        for leaf in leaves + (try DumpConflicts.named(in: bytes)) where leaf != revision {
            assembler.refuse(
                leaf.text, "the dump names this conflicting revision without its body. Read the server itself to have its conflicts.")
        }
    }

    /// `_exp`: seconds since 1970, or ISO 8601.
    private var expiry: Int64? {
        guard let json = document.expiry else { return nil }
        return try? JSONReader.read(json) { value in
            if value.kind == .number { return Int64(try value.double().rounded()) }
            guard value.kind == .string else { return nil }
            let text = try value.string()
            let date =
                (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            return date.map { Int64($0.timeIntervalSince1970) }
        }
    }
}

extension SourceItem {
    /// The item with the position of its fault.
    fileprivate func located(at place: String) -> SourceItem {
        guard case .fault(var fault) = self else { return self }
        fault.place = place
        return .fault(fault)
    }
}

extension AttachmentMetadata {
    fileprivate var isInline: Bool {
        if case .inline = source { true } else { false }
    }
}

extension AttachmentSet {
    /// Removes MD5 digests of inline attachments: CouchDB compresses text, and its digests are those of the compressed bytes.
    fileprivate mutating func removeForeignDigests() {
        for index in entries.indices where entries[index].isInline && entries[index].digest?.algorithm == .md5 {
            entries[index].digest = nil
        }
    }
}

/// The conflicting leaves in a dump made with `conflicts=true`.
enum DumpConflicts {
    private static let key = Array("_conflicts\"".utf8)

    /// The live losing leaves that a document, or the document of a row, lists.
    static func named(in bytes: ArraySlice<UInt8>) throws -> [RevisionID] {
        guard containsKey(bytes) else { return [] }
        return try JSONReader.read(bytes) { try read(&$0, isRow: true) }
    }

    /// Whether the bytes contain the key. This avoids parsing most documents a second time, because few have conflicts.
    private static func containsKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let underscore = rest.firstIndex(of: 0x5f) {
            if rest[underscore...].starts(with: key) { return true }
            rest = rest[(underscore + 1)...]
        }
        return false
    }

    private static func read(_ reader: inout JSONReader, isRow: Bool) throws -> [RevisionID] {
        var leaves: [RevisionID] = []
        try reader.object { key, value in
            if key == "_conflicts", value.kind == .array {
                try value.array { element in
                    if element.kind == .string, let leaf = RevisionID(try element.string()) { leaves.append(leaf) }
                }
            } else if isRow, key == "doc", value.kind == .object {
                leaves += try read(&value, isRow: false)
            }
        }
        return leaves
    }
}
