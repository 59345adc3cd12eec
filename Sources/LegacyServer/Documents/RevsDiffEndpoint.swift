import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol

/// `_revs_diff`: which of its revisions a client should send.
enum RevsDiffEndpoint {
    static func difference(_ call: LegacyCall) async throws -> Response {
        var request = try RevsDiffRequest(try await call.jsonBody(), limits: call.limits)
        if !call.caller.isAdministrator { request.leaveOutDesign() }
        let asked = request.entries.filter { !$0.revisions.isEmpty }.map { (id: $0.id, revisions: $0.revisions) }
        let differences = asked.isEmpty ? [] : try await call.keyspace.difference(asked)
        var response = Response.json(RevsDiffResponse.encode(request, differences))
        // The content type of Sync Gateway, which lets Go guess it.
        response.headers[.contentType] = "text/plain; charset=utf-8"
        return response
    }
}

/// The body of `_revs_diff`: `{"a":["3-c","3-d"],"b":["1-x"]}`.
struct RevsDiffRequest: Equatable {
    struct Entry: Equatable {
        let id: String
        var revisions: [RevisionID] = []

        /// Invalid revision IDs: they are reported as missing, and the client gets the error when it sends them.
        var impossible: [String] = []
    }

    private(set) var entries: [Entry] = []

    init(_ body: [UInt8], limits: LegacyLimits = LegacyLimits()) throws {
        var entries: [Entry] = []
        try JSONReader.read(body, maximumDepth: 4) { reader in
            try reader.object { key, value in
                guard entries.count < limits.documents else {
                    throw LegacyError(.tooLarge, "More than \(limits.documents) documents: ask for fewer at once")
                }
                entries.append(try Self.entry(try key.string(), &value, limits))
            }
        }
        self.entries = entries
    }

    /// Omits design documents for clients that may not write them. Otherwise PouchDB would push all of its design documents, and report them as
    /// denied.
    mutating func leaveOutDesign() {
        entries.removeAll { DocumentID.isDesign($0.id) }
    }

    private static func entry(_ id: String, _ reader: inout JSONReader, _ limits: LegacyLimits) throws -> Entry {
        var entry = Entry(id: id)
        guard !reader.isNull else {
            try reader.null()
            return entry
        }
        try reader.array { element in
            guard entry.revisions.count + entry.impossible.count < limits.revisions else {
                throw LegacyError(.tooLarge, "More than \(limits.revisions) revisions of \(id): ask for fewer at once")
            }
            let text = try element.string()
            if let revision = RevisionID(text) {
                entry.revisions.append(revision)
            } else {
                entry.impossible.append(text)
            }
        }
        return entry
    }
}

/// The response of `_revs_diff`: `{"a":{"missing":["3-c"],"possible_ancestors":["2-b"]}}`, for documents with missing revisions.
enum RevsDiffResponse {
    /// - Parameter differences: The results by document, in the order of the request; documents without missing revisions may be omitted.
    static func encode(_ request: RevsDiffRequest, _ differences: [(id: String, difference: RevisionsDifference)]) -> [UInt8] {
        var bytes = Array("{".utf8)
        bytes.reserveCapacity(2 + request.entries.count * 80)
        var rest = differences[...]
        for entry in request.entries {
            // Compare by bytes: documents whose IDs differ only in Unicode normalisation are different.
            let difference = rest.first?.id.utf8.elementsEqual(entry.id.utf8) == true ? rest.popFirst()?.difference : nil
            guard difference != nil || !entry.impossible.isEmpty else { continue }
            if bytes.count > 1 { JSONWriter.append(raw: ",\n", to: &bytes) }
            JSONWriter.append(key: entry.id, to: &bytes)
            append(difference, impossible: entry.impossible, to: &bytes)
        }
        JSONWriter.append(raw: "}", to: &bytes)
        return bytes
    }

    private static func append(_ difference: RevisionsDifference?, impossible: [String], to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"missing\":[", to: &bytes)
        append(difference?.missing ?? [], to: &bytes)
        for (index, text) in impossible.enumerated() {
            if index > 0 || difference != nil { JSONWriter.append(raw: ",", to: &bytes) }
            JSONWriter.append(text, to: &bytes)
        }
        JSONWriter.append(raw: "]", to: &bytes)
        if let ancestors = difference?.possibleAncestors, !ancestors.isEmpty {
            JSONWriter.append(raw: ",\"possible_ancestors\":[", to: &bytes)
            append(ancestors, to: &bytes)
            JSONWriter.append(raw: "]", to: &bytes)
        }
        JSONWriter.append(raw: "}", to: &bytes)
    }

    private static func append(_ revisions: [RevisionID], to bytes: inout [UInt8]) {
        for (index, revision) in revisions.enumerated() {
            if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
            JSONWriter.append(revision, to: &bytes)
        }
    }
}
