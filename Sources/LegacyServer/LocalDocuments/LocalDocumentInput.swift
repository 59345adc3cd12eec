import Documents
import LegacyProtocol

/// A `_local/` document as a client writes it.
///
/// Its members are kept as they stand: a 1.x client for Java fails silently on a `lastSequence` whose JSON type has changed, and
/// the one for .NET writes `null`. `_attachments` are dropped, as by Sync Gateway. So is `_revisions`: CouchDB's replicator writes it beside `_rev`, and if it
/// came back, it would go by it from the next run on, and never save a checkpoint again.
struct LocalDocumentInput: Equatable {
    /// What begins the ID of every local document.
    static let prefix = "_local/"

    /// `_id`, with its prefix, if the document has it.
    private(set) var id: String?

    /// `_rev`, if the document has it.
    private(set) var revision: String?

    /// Whether it is to be deleted: `_deleted`, which nothing is kept of.
    private(set) var isDeleted = false

    /// Everything else, as one JSON object.
    private(set) var body: [UInt8]

    /// - Throws: ``LegacyError`` or `JSONError` if it is no JSON object, or `_id` or `_rev` is no string.
    init(_ text: ArraySlice<UInt8>, depth: Int = JSONReader.defaultMaximumDepth) throws {
        var id: String?
        var revision: String?
        var isDeleted = false
        var body = Array("{".utf8)
        body.reserveCapacity(text.count)
        try JSONReader.read(text, maximumDepth: depth) { reader in
            guard reader.kind == .object else { throw LegacyError(.badRequest, "Bad JSON: a document must be an object") }
            try reader.object { key, value in
                if key == "_id" {
                    id = try value.string()
                } else if key == "_rev" {
                    revision = try Self.optionalString(&value)
                } else if key == "_revisions" || key == "_attachments" {
                    _ = try value.skip()
                } else if key == "_deleted", value.kind == .bool {
                    isDeleted = try value.bool()
                } else {
                    let end = try value.skip().upperBound
                    if body.count > 1 { body.append(UInt8(ascii: ",")) }
                    body.append(contentsOf: text[(text.startIndex + key.offset)..<(text.startIndex + end)])
                }
            }
        }
        body.append(UInt8(ascii: "}"))
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
    }

    private static func optionalString(_ value: inout JSONReader) throws -> String? {
        guard !value.isNull else {
            try value.null()
            return nil
        }
        return try value.string()
    }
}
