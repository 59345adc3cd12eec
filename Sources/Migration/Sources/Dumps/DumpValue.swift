import Documents
import Foundation

/// A parsed value of a dump: a document, or a row of `_all_docs` or `_changes` that contains one.
struct DumpValue {
    /// Detected kind of the value.
    enum Kind {
        case document, row, neither
    }

    private(set) var kind = Kind.neither
    private(set) var items: [SourceItem] = []

    /// - Parameters:
    ///   - bytes: the value's JSON.
    ///   - place: Its position: `byte 1804137`.
    ///   - expectsRow: Whether to try it as a row first; the other kind is tried afterwards.
    init(_ bytes: ArraySlice<UInt8>, place: String, expectsRow: Bool, bodyBytes: Int) {
        do {
            // Inline attachments do not count towards the body limit.
            let limits = DocumentLimits(maximumSize: bytes.count)
            if expectsRow, let row = try DumpRow(bytes, limits: limits) {
                setRow(row, bytes, place, bodyBytes)
                return
            }
            let document = try ParsedDocument(bytes, policy: .legacyUpstream, limits: limits)
            if document.id != nil {
                kind = .document
                items = DumpDocument(document, bytes: bytes).items(place: place, bodyBytes: bodyBytes)
            } else if let row = try DumpRow(bytes, limits: limits) {
                setRow(row, bytes, place, bodyBytes)
            } else if !Self.isFrame(document.body) {
                fail("it has no _id", bytes, place)
            }
        } catch {
            fail((error as? DocumentError)?.message ?? "\(error)", bytes, place)
        }
    }

    private mutating func setRow(_ row: DumpRow, _ bytes: ArraySlice<UInt8>, _ place: String, _ bodyBytes: Int) {
        kind = .row
        items = row.items(bytes: bytes, place: place, bodyBytes: bodyBytes)
    }

    private mutating func fail(_ reason: String, _ bytes: ArraySlice<UInt8>, _ place: String) {
        items = [.fault(SourceFault(id: Self.guessedID(bytes) ?? place, place: place, reason: reason, bytes: Array(bytes)))]
    }

    /// Whether a value is framing rather than a document: the end of a continuous feed, or couchbackup's first line.
    static func isFrame(_ body: [UInt8]) -> Bool {
        if DocumentBody.property(named: "last_seq", in: body) != nil { return true }
        return DocumentBody.property(named: "name", in: body)?.string?.hasPrefix("@cloudant/couchbackup") == true
    }

    /// The probable ID in bytes that are not valid JSON.
    static func guessedID(_ bytes: ArraySlice<UInt8>) -> String? {
        let head = bytes.prefix(1024)
        for mark in ["\"_id\":\"", "\"id\":\""] {
            guard let found = head.firstRange(of: Array(mark.utf8)), let end = head[found.upperBound...].firstIndex(of: 0x22) else {
                continue
            }
            return String(decoding: head[found.upperBound..<end], as: UTF8.self)
        }
        return nil
    }
}

/// The document ID of a value of a dump, found without parsing the document.
struct DumpIdentity: Equatable {
    let id: String

    /// Whether the value is a row rather than a document.
    let isRow: Bool

    /// - Returns: `nil` if the value is not JSON or has no ID.
    init?(_ bytes: ArraySlice<UInt8>) {
        var own: String?
        var ofRow: String?
        var within: String?
        var isRow = false
        do {
            try JSONReader.read(bytes) { reader in
                guard reader.kind == .object else { return }
                try reader.object { key, value in
                    if key == "_id", value.kind == .string {
                        own = try value.string()
                    } else if key == "id", value.kind == .string {
                        ofRow = try value.string()
                    } else if key == "doc", value.kind == .object {
                        isRow = true
                        try value.object { key, member in
                            if key == "_id", member.kind == .string { within = try member.string() }
                        }
                    } else if key == "seq" || key == "error" || key == "value" && value.kind == .object {
                        isRow = true
                    }
                }
            }
        } catch {
            return nil
        }
        guard let id = own ?? (isRow ? within ?? ofRow : nil) else { return nil }
        self.id = id
        self.isRow = own == nil
    }
}
