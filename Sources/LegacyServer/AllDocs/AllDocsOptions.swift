import Documents
import HTTP
import LegacyProtocol
import Storage

/// The options of an `_all_docs` request.
struct AllDocsOptions: Sendable, Equatable {
    var range = ListRange()
    var limit: Int?
    var skip = 0
    var includesDocuments = false

    /// What the documents contain besides their own members.
    var documents = ReadOptions()

    /// Whether each row contains the channels of its document.
    var includesChannels = false

    /// Whether each row contains the channels that its document's sync function has granted.
    var includesAccess = false

    /// Whether each row contains the sequence of its document.
    var includesSequence = false

    var includesDetails: Bool { includesChannels || includesAccess }

    /// The documents to list, in this order, instead of a range.
    var keys: [String]?

    init(query: Query, body: [UInt8]? = nil, limits: LegacyLimits = LegacyLimits()) throws {
        range.from = try Self.key(query, "startkey", "start_key")
        range.to = try Self.key(query, "endkey", "end_key")
        range.includesTo = try query.bool("inclusive_end") ?? true
        range.descending = try query.bool("descending") ?? false
        limit = try query.int("limit").flatMap { $0 > 0 ? $0 : nil }
        skip = max(0, try query.int("skip") ?? 0)
        includesDocuments = query.flag("include_docs")
        documents.includesHistory = query.flag("revs")
        documents.includesAttachments = query.flag("attachments")
        documents.includesConflicts = query.flag("conflicts")
        documents.includesDeletedConflicts = query.flag("deleted_conflicts")
        includesSequence = query.flag("update_seq")
        includesChannels = query.flag("channels")
        includesAccess = query.flag("access")
        if let json = query.json("keys") { keys = try JSONReader.read(json) { try Self.strings(&$0, limits) } }
        if let body { try read(body, limits) }
        let key = try Self.key(query, "key")
        guard keys != nil else {
            keys = key.map { [$0] }
            return
        }
        // Refused as in CouchDB, because the combination is ambiguous.
        guard key == nil, range.from == nil, range.to == nil else {
            throw LegacyError(.badRequest, "keys cannot be combined with key, startkey or endkey")
        }
    }

    private mutating func read(_ body: [UInt8], _ limits: LegacyLimits) throws {
        let posted = try JSONReader.read(body, maximumDepth: 16) { reader in
            var keys: [String]?
            guard reader.kind == .object else { return keys }
            try reader.object { key, value in
                if key == "keys" { keys = try Self.strings(&value, limits) }
            }
            return keys
        }
        // A POST must name documents; without keys, listing all documents would be unexpected.
        guard let posted else { throw Self.badKeys }
        keys = posted
    }

    private static let badKeys = LegacyError(.badRequest, "Bad/missing keys")

    private static func strings(_ reader: inout JSONReader, _ limits: LegacyLimits) throws -> [String] {
        guard reader.kind == .array else { throw badKeys }
        var strings: [String] = []
        try reader.array { element in
            guard strings.count < limits.documents else {
                throw LegacyError(.tooLarge, "More than \(limits.documents) keys: ask for fewer at once")
            }
            strings.append(try element.string())
        }
        return strings
    }

    /// A key is a JSON string; text without quotes is used unchanged.
    private static func key(_ query: Query, _ names: String...) throws -> String? {
        for name in names {
            guard let text = query[name], !text.isEmpty else { continue }
            guard text.utf8.first == UInt8(ascii: "\"") else { return text }
            return try JSONReader.read(Array(text.utf8)) { try $0.string() }
        }
        return nil
    }
}
