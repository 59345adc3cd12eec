import Documents
import Gateway

/// `_bulk_get` as PouchDB and CouchDB want it: `{"results":[{"id":"a","docs":[{"ok":{..}}]},..]}`, in the order of the request.
struct BulkGetJSON: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits
    private var isFirst = true

    init(keyspace: Keyspace, limits: LegacyLimits) {
        self.keyspace = keyspace
        self.limits = limits
    }

    mutating func append(
        _ results: [Result<RevisionContent, LegacyError>], for item: BulkGetRequest.Item, to body: inout SegmentedBody
    ) async throws {
        let opening: StaticString = isFirst ? "{\"results\":[{\"id\":" : ",{\"id\":"
        isFirst = false
        body.append { bytes in
            JSONWriter.append(raw: opening, to: &bytes)
            JSONWriter.append(item.query.id, to: &bytes)
            JSONWriter.append(raw: ",\"docs\":[", to: &bytes)
        }
        for (index, result) in results.enumerated() {
            if index > 0 { body.append { JSONWriter.append(raw: ",", to: &$0) } }
            try await append(result, item, to: &body)
        }
        body.append { JSONWriter.append(raw: "]}", to: &$0) }
    }

    private func append(
        _ result: Result<RevisionContent, LegacyError>, _ item: BulkGetRequest.Item, to body: inout SegmentedBody
    ) async throws {
        switch result {
        case .success(let content):
            body.append { JSONWriter.append(raw: "{\"ok\":", to: &$0) }
            try await DocumentWriter(keyspace: keyspace, options: item.options, limits: limits).append(content, to: &body)
            body.append { JSONWriter.append(raw: "}", to: &$0) }
        case .failure(let error):
            body.append { bytes in
                JSONWriter.append(raw: "{\"error\":", to: &bytes)
                error.appendRow(id: item.query.id, revision: item.revisionText, to: &bytes)
                JSONWriter.append(raw: "}", to: &bytes)
            }
        }
    }

    mutating func finish(_ body: inout SegmentedBody) {
        let ending: StaticString = isFirst ? "{\"results\":[]}" : "]}"
        body.append { JSONWriter.append(raw: ending, to: &$0) }
    }
}
