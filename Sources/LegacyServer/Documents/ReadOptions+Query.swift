import Documents
import HTTP
import LegacyProtocol

extension ReadOptions {
    /// Reads the query of a `GET`.
    init(_ call: LegacyCall) throws {
        self.init()
        includesHistory = call.query.flag("revs")
        includesAttachments = call.query.flag("attachments")
        showsExpiry = call.query.flag("show_exp")
        includesConflicts = call.query.flag("conflicts")
        includesDeletedConflicts = call.query.flag("deleted_conflicts")
        includesRevisionInfo = call.query.flag("revs_info")
        attachmentsSince = try call.revisions("atts_since").compactMap { RevisionID($0) }
        known = try call.revisions("revs_from").compactMap { RevisionID($0) }
        historyLimit = (try? call.query.int("revs_limit")).flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// A JSON array of revision IDs, in a query or a request's body. Invalid IDs are accepted, because they match no stored revision.
enum RevisionIDList {
    static func read(_ json: [UInt8], parameter: String, limit: Int) throws -> [String] {
        do {
            return try JSONReader.read(json, maximumDepth: 4) { try read(&$0, parameter: parameter, limit: limit) }
        } catch let error as JSONError {
            throw LegacyError(.badRequest, "\(parameter) must be a JSON array of revision IDs: \(error)", cause: error)
        }
    }

    static func read(_ reader: inout JSONReader, parameter: String, limit: Int) throws -> [String] {
        if reader.isNull {
            try reader.null()
            return []
        }
        var revisions: [String] = []
        try reader.array { element in
            guard revisions.count < limit else { throw LegacyError(.tooLarge, "\(parameter) has more than \(limit) revisions") }
            revisions.append(try element.string())
        }
        return revisions
    }
}
