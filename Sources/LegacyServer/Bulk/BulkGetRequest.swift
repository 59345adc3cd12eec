import Documents
import HTTP
import LegacyProtocol

/// The body of `_bulk_get`, and the options of its query, which apply to all items.
struct BulkGetRequest: Sendable {
    struct Item: Sendable, Equatable {
        var query: RevisionQuery
        var options: ReadOptions

        /// The revision as requested: clients identify the result by it.
        var revisionText: String?

        /// Why the item fails.
        var refusal: Refusal?
    }

    enum Refusal: Sendable, Equatable {
        case malformed(String)
        /// The text is not a valid revision ID.
        case missing

        var error: LegacyError {
            switch self {
            case .malformed(let reason): LegacyError(.badRequest, reason)
            case .missing: LegacyError(.notFound, "missing")
            }
        }
    }

    private(set) var items: [Item] = []

    /// CouchDB also accepts `revs`, `latest` and `attachments` in the body.
    init(_ body: [UInt8], query: Query = Query([]), limits: LegacyLimits = LegacyLimits()) throws {
        var items: [Item]?
        var revs = query.flag("revs")
        var latest = query.flag("latest")
        var attachments = query.flag("attachments")
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
        let showsExpiry = query.flag("show_exp")
        let historyLimit = (try? query.int("revs_limit")).flatMap { $0 >= 0 ? $0 : nil }
        guard let items else { throw LegacyError(.badRequest, "missing 'docs' property") }
        self.items = items.map { item in
            var item = item
            item.options.includesHistory = revs
            item.options.includesAttachments = attachments
            item.options.leavesOutMissing = !attachments
            item.options.showsExpiry = showsExpiry
            item.options.historyLimit = item.options.historyLimit ?? historyLimit
            item.query.latest = latest
            return item
        }
    }

    private static func items(_ reader: inout JSONReader, _ limits: LegacyLimits) throws -> [Item] {
        guard reader.kind == .array else { throw LegacyError(.badRequest, "missing 'docs' property") }
        var items: [Item] = []
        try reader.array { element in
            guard items.count < limits.documents else {
                throw LegacyError(.tooLarge, "More than \(limits.documents) documents: ask for fewer at once")
            }
            items.append(try Self.item(&element, limits))
        }
        return items
    }

    /// A malformed item fails alone.
    private static func item(_ reader: inout JSONReader, _ limits: LegacyLimits) throws -> Item {
        var item = Item(query: RevisionQuery(id: ""), options: ReadOptions())
        guard reader.kind == .object else {
            item.refusal = .malformed(malformed)
            return item
        }
        try reader.object { key, value in
            guard !value.isNull else { return try value.null() }
            if key == "id" {
                if value.kind == .string { item.query.id = try value.replacedString() }
            } else if key == "rev" {
                try readRevision(&value, &item)
            } else if key == "atts_since" {
                item.options.attachmentsSince = try revisions(&value, "atts_since", &item, limits)
            } else if key == "revs_from" {
                item.options.known = try revisions(&value, "revs_from", &item, limits)
            } else if key == "revs_limit" {
                // An invalid value is ignored, as in Sync Gateway.
                item.options.historyLimit = (try? JSONReader.read(Array(try value.raw())) { try $0.int() }).flatMap {
                    $0 < 0 ? nil : $0
                }
            }
        }
        if item.query.id.isEmpty { item.refusal = .malformed(malformed) }
        return item
    }

    /// An empty revision means the winner.
    private static func readRevision(_ value: inout JSONReader, _ item: inout Item) throws {
        guard value.kind == .string else {
            item.refusal = .malformed(malformed)
            return
        }
        let text = try value.replacedString()
        guard !text.isEmpty else { return }
        item.revisionText = text
        item.query.revision = RevisionID(text)
        if item.query.revision == nil { item.refusal = .missing }
    }

    private static func revisions(
        _ value: inout JSONReader, _ name: String, _ item: inout Item, _ limits: LegacyLimits
    ) throws -> [RevisionID] {
        do {
            let list = try RevisionIDList.read(Array(try value.raw()), parameter: name, limit: limits.revisions)
            return list.compactMap { RevisionID($0) }
        } catch let error as LegacyError where error.code == .badRequest {
            item.refusal = .malformed("\(name) must be a string array")
            return []
        }
    }

    private static let malformed = "Invalid doc/rev ID in _bulk_get"
}
