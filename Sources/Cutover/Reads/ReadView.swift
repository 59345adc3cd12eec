import Documents
package import HTTP
import Migration

/// The documents that a response to a read shows.
package struct ReadView: Hashable, Sendable {
    /// A document, or a row of a feed.
    package struct Entry: Hashable, Sendable {
        /// The revision; the revisions of a row, sorted and separated by commas.
        package var revision: String
        package var isDeleted = false

        /// Whether the row is a removal from a channel, or the document cannot be read.
        package var isGone = false

        /// The position of a row in its server's feed; `nil` if it is no number, and for a document.
        package var sequence: Int64?

        /// A digest of the body; empty for a row.
        package var body = ""

        /// The digests of the attachments, by name. A digest is empty if the response has none.
        package var attachments: [String: String] = [:]

        package init(revision: String) {
            self.revision = revision
        }
    }

    /// By ID. A document with several revisions has several entries.
    package private(set) var entries: [String: [Entry]] = [:]

    package init() {}

    /// Reads a response.
    ///
    /// - Parameter type: Its content type.
    /// - Returns: `nil` if the response has another form.
    package init?(_ body: [UInt8], type: MediaType?) {
        if let type, type.isMultipart {
            guard add(multipart: body, type) else { return nil }
        } else {
            guard let json = try? JSONValue(body) else { return nil }
            add(json)
        }
    }

    private mutating func add(_ json: JSONValue) {
        if let items = json.array {
            // `open_revs` in JSON.
            for item in items { if let document = item["ok"] { add(document) } }
        } else if let rows = json["results"]?.array {
            for row in rows {
                guard let documents = row["docs"]?.array else {
                    add(row: row)
                    continue
                }
                for item in documents { add(item["ok"] ?? item["error"] ?? .null, of: row["id"]?.string) }
            }
        } else {
            add(json, of: nil)
        }
    }

    private mutating func add(row: JSONValue) {
        // Sync Gateway's feed has a row of the user. Such IDs belong to a server.
        guard let id = row["id"]?.string, id.utf8.first != UInt8(ascii: "_") else { return }
        let revisions = (row["changes"]?.array ?? []).compactMap { $0["rev"]?.string }.sorted()
        var entry = Entry(revision: revisions.joined(separator: ","))
        entry.isDeleted = row["deleted"]?.bool == true
        entry.isGone = row["removed"] != nil
        entry.sequence = row["seq"]?.int.map { Int64($0) } ?? row["seq"]?.string.flatMap { Int64($0) }
        entries[id, default: []].append(entry)
    }

    private mutating func add(_ document: JSONValue, of knownID: String?) {
        guard let id = document["_id"]?.string ?? knownID ?? document["id"]?.string, let members = document.members else { return }
        var entry = Entry(revision: document["_rev"]?.string ?? document["rev"]?.string ?? "")
        entry.isDeleted = document["_deleted"]?.bool == true
        entry.isGone = document["error"] != nil || document["_removed"] != nil || document["_rev"] == nil
        if !entry.isGone {
            var bytes: [UInt8] = []
            JSONValue.object(members.filter { $0.key.utf8.first != UInt8(ascii: "_") }).append(to: &bytes)
            entry.body = BodyDigest.text(of: bytes)
            for attachment in document["_attachments"]?.members ?? [] {
                entry.attachments[attachment.key] = attachment.value["digest"]?.string ?? ""
            }
        }
        entries[id, default: []].append(entry)
    }

    /// Adds the documents of a multipart body: each part is a document, or a document with its attachments.
    private mutating func add(multipart body: [UInt8], _ type: MediaType) -> Bool {
        guard let boundary = try? MultipartBoundary(contentType: type), let parts = try? Parts(body, boundary) else { return false }
        // The first part of `related` is the document, the others are attachments.
        for part in type.subtype == "related" ? parts.all.prefix(1) : parts.all[...] {
            let partType = part.type.flatMap { MediaType($0) }
            if let partType, partType.isMultipart {
                guard add(multipart: part.bytes, partType) else { return false }
            } else if let json = try? JSONValue(part.bytes) {
                add(json, of: nil)
            }
        }
        return true
    }
}

/// The parts of a multipart body in memory.
private struct Parts {
    struct Part {
        var type: String?
        var bytes: [UInt8] = []
    }

    var all: [Part] = []

    init(_ body: [UInt8], _ boundary: MultipartBoundary) throws {
        var parser = MultipartParser(boundary: boundary)
        for event in try parser.consume(body) {
            switch event {
            case .partBegan(let headers): all.append(Part(type: headers["Content-Type"]))
            case .partBody(let bytes): if !all.isEmpty { all[all.count - 1].bytes.append(contentsOf: bytes) }
            case .partEnded, .finished: break
            }
        }
    }
}
