import Documents
import HTTP

/// The body of `_bulk_get`, and what its query says for all of its items.
struct BulkGetRequest: Sendable {
    struct Item: Sendable, Equatable {
        var query: RevisionQuery
        var options: ReadOptions

        /// The revision as it was asked for: clients find theirs by it.
        var revisionText: String?

        /// Why the item cannot be answered.
        var refusal: String?
    }

    private(set) var items: [Item] = []

    /// CouchDB says `revs`, `latest` and `attachments` in the body, too.
    init(_ body: [UInt8], query: Query = Query([]), limits: LegacyLimits = LegacyLimits()) throws {
        var items: [Item]?
        var revs = try query.bool("revs") ?? false
        var latest = try query.bool("latest") ?? false
        var attachments = try query.bool("attachments") ?? false
        try JSONReader.read(body, maximumDepth: 16) { reader in
            guard reader.kind == .object else { throw LegacyError(.badRequest, "Bad JSON: an object with docs is expected") }
            try reader.object { key, value in
                if key == "docs" {
                    items = try Self.items(&value, limits)
                } else if key == "revs", value.kind == .bool {
                    revs = try value.bool() || revs
                } else if key == "latest", value.kind == .bool {
                    latest = try value.bool() || latest
                } else if key == "attachments", value.kind == .bool {
                    attachments = try value.bool() || attachments
                }
            }
        }
        let showsExpiry = try query.bool("show_exp") ?? false
        guard let items else { throw LegacyError(.badRequest, "missing 'docs' property") }
        self.items = items.map { item in
            var item = item
            item.options.includesHistory = revs
            item.options.includesAttachments = attachments
            item.options.showsExpiry = showsExpiry
            item.query.latest = latest
            return item
        }
    }

    private static func items(_ reader: inout JSONReader, _ limits: LegacyLimits) throws -> [Item] {
        guard reader.kind == .array else { throw LegacyError(.badRequest, "'docs' must be an array") }
        var items: [Item] = []
        try reader.array { element in
            guard items.count < limits.documents else {
                throw LegacyError(.tooLarge, "More than \(limits.documents) documents: ask for fewer at once")
            }
            items.append(try Self.item(&element, limits))
        }
        return items
    }

    private static func item(_ reader: inout JSONReader, _ limits: LegacyLimits) throws -> Item {
        guard reader.kind == .object else { throw LegacyError(.badRequest, "'docs' must hold objects with id and rev") }
        var item = Item(query: RevisionQuery(id: ""), options: ReadOptions())
        try reader.object { key, value in
            guard !value.isNull else { return try value.null() }
            if key == "id" {
                item.query.id = try value.string()
            } else if key == "rev" {
                let text = try value.string()
                item.revisionText = text
                item.query.revision = RevisionID(text)
                if item.query.revision == nil { item.refusal = "Invalid revision ID \"\(text)\"" }
            } else if key == "atts_since" {
                item.options.attachmentsSince = try RevisionList.read(&value, parameter: "atts_since", limit: limits.revisions)
            } else if key == "revs_from" {
                item.options.known = try RevisionList.read(&value, parameter: "revs_from", limit: limits.revisions)
            } else if key == "revs_limit" {
                item.options.historyLimit = max(1, try value.int())
            }
        }
        if item.query.id.isEmpty { item.refusal = "Invalid doc/rev ID in _bulk_get" }
        return item
    }
}
