import Documents
import LegacyProtocol

/// A `_local/` document as a client writes it.
///
/// Its members are stored verbatim: the 1.x client for Java fails silently if the JSON type of `lastSequence` changes, and the one for .NET
/// writes `null`. Two members are dropped:
/// - `_attachments`, as by Sync Gateway.
/// - `_revisions`, which CouchDB's replicator writes beside `_rev`. If the server returned it, the replicator would use it from the next run on,
///   and never save a checkpoint again.
struct LocalDocumentInput: Equatable {
    /// The prefix of every local document's ID.
    static let prefix = "_local/"

    /// `_id`, with its prefix, if the document has it.
    private(set) var id: String?

    /// `_rev`, if the document has it.
    private(set) var revision: String?

    /// Whether the document is to be deleted: `_deleted`, which is not stored.
    private(set) var isDeleted = false

    /// All other members, as one JSON object.
    private(set) var body: [UInt8]

    /// - Throws: ``LegacyError`` or `JSONError` if the text is not a JSON object, or `_id` or `_rev` is not a string.
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
