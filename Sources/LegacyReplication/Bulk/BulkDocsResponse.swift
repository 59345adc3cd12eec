import Documents

/// The answer of `_bulk_docs`: a row for each document, in the order of the request.
enum BulkDocsResponse {
    struct Row {
        let id: String
        let result: Result<String, LegacyError>
    }

    /// - Parameter saysOK: whether good rows have `"ok":true`, as CouchDB's have where revisions are made by the server: scripts and PouchDB look
    ///   for it. Sync Gateway leaves it out, and replicators go by `error`.
    static func encode(_ rows: [Row], saysOK: Bool) -> [UInt8] {
        var bytes = Array("[".utf8)
        bytes.reserveCapacity(rows.count * 80 + 2)
        for (index, row) in rows.enumerated() {
            if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
            switch row.result {
            case .success(let revision):
                JSONWriter.append(raw: "{\"id\":", to: &bytes)
                JSONWriter.append(row.id, to: &bytes)
                if saysOK { JSONWriter.append(raw: ",\"ok\":true", to: &bytes) }
                JSONWriter.append(raw: ",\"rev\":", to: &bytes)
                JSONWriter.append(revision, to: &bytes)
                JSONWriter.append(raw: "}", to: &bytes)
            case .failure(let error):
                error.appendRow(id: row.id, to: &bytes)
            }
        }
        JSONWriter.append(raw: "]", to: &bytes)
        return bytes
    }
}
