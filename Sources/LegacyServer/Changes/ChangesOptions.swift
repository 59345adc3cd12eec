import Documents
import LegacyProtocol
import NIOCore

/// The validated options of a `_changes` request.
struct ChangesOptions: Sendable, Equatable {
    enum Feed: String {
        case normal, longpoll, continuous, eventsource, websocket
    }

    enum Filter: Equatable {
        /// A design document's function, and its `req.query`.
        case function(String, parameters: [UInt8])
        case selector(DocumentSelector)
    }

    var feed = Feed.normal

    /// As sent by the client; see ``SequencePosition``.
    var since: String?

    /// The maximum number of rows; `nil` for all.
    var limit: Int?
    var allLeaves = false
    var activeOnly = false
    var descending = false
    var includesDocuments = false

    /// What the documents contain besides their own members.
    var documents = ReadOptions()
    var documentIDs: Set<ExactString>?

    /// The channels whose documents are sent; `nil` for all that the client may read.
    var channels: Set<String>?

    /// The filter of the rows; `nil` for none.
    var filter: Filter?

    /// The interval of heartbeats of an idle feed; `nil` for none.
    var heartbeat: TimeAmount?

    /// The maximum duration of an idle feed; `nil` for no limit, because there is a heartbeat.
    var timeout: TimeAmount?

    /// Whether rows may be sent as one gzip stream in binary messages.
    var wantsGzip = false

    /// Whether the leaves of one document are sent in two rows; see ``ChangeRow/parted``.
    var partsLeaves = false

    init() {}

    /// - Parameters:
    ///   - isCouchDB: Whether the client is CouchDB's replicator, for which `limit=0` means no rows. In Sync Gateway it means all rows.
    ///   - isCouchbaseLite: Whether the client is Couchbase Lite.
    ///   - filters: The names of the configuration's filters.
    /// - Throws: ``LegacyError``, 400, with Sync Gateway's text if it has one.
    init(
        _ parameters: ChangesParameters, isCouchDB: Bool = false, isCouchbaseLite: Bool = false, limits: LegacyLimits = LegacyLimits(),
        filters: Set<String> = []
    ) throws {
        guard let feed = Feed(rawValue: parameters["feed"] ?? "normal") else { throw LegacyError(.badRequest, "Unknown feed type") }
        self.feed = feed
        since = parameters["since"].flatMap { $0 == "null" ? nil : $0 }
        limit = try parameters.int("limit").flatMap { $0 == 0 && !isCouchDB ? nil : $0 }
        allLeaves = parameters["style"] == "all_docs"
        activeOnly = try parameters.bool("active_only")
        descending = try parameters.bool("descending")
        includesDocuments = parameters.flag("include_docs")
        documents.includesAttachments = parameters.flag("attachments")
        documents.includesConflicts = parameters.flag("conflicts")
        documents.includesDeletedConflicts = parameters.flag("deleted_conflicts")
        documentIDs = try Self.documentIDs(parameters, limits)
        channels = try Self.channels(parameters, limits)
        filter = try Self.filter(parameters, limits, filters)
        heartbeat = try Self.heartbeat(parameters, limits)
        // A browser cannot request a heartbeat; CouchDB's default is a minute.
        if feed == .eventsource, parameters["heartbeat"] == nil, parameters["timeout"] == nil { heartbeat = .seconds(60) }
        timeout = try Self.timeout(parameters, limits, hasHeartbeat: heartbeat != nil)
        wantsGzip = parameters["accept_encoding"] == "gzip"
        partsLeaves = isCouchbaseLite && allLeaves && !descending && !includesDocuments
    }

    private static func documentIDs(_ parameters: ChangesParameters, _ limits: LegacyLimits) throws -> Set<ExactString>? {
        guard parameters["filter"] == "_doc_ids" else { return nil }
        let missing = LegacyError(.badRequest, "Missing 'doc_ids' filter parameter")
        guard let ids = try parameters.strings("doc_ids", limit: limits.documents) else { throw missing }
        guard !ids.isEmpty else { throw parameters.isInQuery("doc_ids") ? missing : LegacyError(.badRequest, "Empty doc_ids list") }
        return Set(ids.map { ExactString($0) })
    }

    /// The filter of the rows. A design document's function has a slash in its name, as in CouchDB; a filter of the configuration may have none.
    private static func filter(_ parameters: ChangesParameters, _ limits: LegacyLimits, _ known: Set<String>) throws -> Filter? {
        guard let name = parameters["filter"], name != "_doc_ids", name != "sync_gateway/bychannel" else { return nil }
        if name == "_design" { return .selector(.designDocuments) }
        if name == "_selector" { return .selector(try selector(parameters, limits)) }
        guard name.utf8.contains(UInt8(ascii: "/")) || known.contains(name) else {
            throw LegacyError(
                .badRequest, "Unknown filter; try sync_gateway/bychannel or _doc_ids")
        }
        return .function(name, parameters: try parameters.filterParameters(limit: limits.filterParametersSize))
    }

    private static func selector(_ parameters: ChangesParameters, _ limits: LegacyLimits) throws -> DocumentSelector {
        guard let text = parameters["selector"] else { throw LegacyError(.badRequest, "Missing 'selector' filter parameter") }
        guard text.utf8.count <= limits.filterParametersSize else {
            throw LegacyError(.tooLarge, "A selector may have at most \(limits.filterParametersSize) bytes")
        }
        return try DocumentSelector(Array(text.utf8))
    }

    private static func channels(_ parameters: ChangesParameters, _ limits: LegacyLimits) throws -> Set<String>? {
        guard parameters["filter"] == "sync_gateway/bychannel" else { return nil }
        guard let channels = try parameters.strings("channels", limit: limits.documents, keepsEmpty: true) else {
            throw LegacyError(.badRequest, "Missing 'channels' filter parameter")
        }
        guard !channels.contains("") else { throw LegacyError(.badRequest, "Illegal channel name \"\"") }
        return channels.contains("*") ? nil : Set(channels)
    }

    /// The interval of heartbeats within the limits. `true` means a minute, as in CouchDB.
    private static func heartbeat(_ parameters: ChangesParameters, _ limits: LegacyLimits) throws -> TimeAmount? {
        if parameters["heartbeat"] == "false" { return nil }
        let milliseconds = parameters["heartbeat"] == "true" ? 60_000 : parameters.number("heartbeat") ?? 0
        guard milliseconds > 0 else { return nil }
        let asked = TimeAmount.milliseconds(Int64(clamping: min(milliseconds, Int(Int32.max))))
        return min(max(asked, limits.minimumHeartbeat), limits.maximumHeartbeat)
    }

    /// The timeout within the limits. It is ignored if there is a heartbeat, as in Sync Gateway; PouchDB sends both.
    private static func timeout(_ parameters: ChangesParameters, _ limits: LegacyLimits, hasHeartbeat: Bool) throws -> TimeAmount? {
        let milliseconds = parameters.number("timeout")
        guard !hasHeartbeat else { return nil }
        guard let milliseconds, milliseconds > 0 else { return limits.defaultTimeout }
        return min(.milliseconds(Int64(clamping: min(milliseconds, Int(Int32.max)))), limits.maximumTimeout)
    }
}
