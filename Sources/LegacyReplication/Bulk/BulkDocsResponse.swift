import Documents

/// The answer of `_bulk_docs`: a row for each document, in the order of the request.
enum BulkDocsResponse {
    struct Row {
        let id: String
        let result: Result<String, LegacyError>
    }

    static func encode(_ rows: [Row]) -> [UInt8] {
        var bytes = Array("[".utf8)
        bytes.reserveCapacity(rows.count * 80 + 2)
        for (index, row) in rows.enumerated() {
            if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
            switch row.result {
            case .success(let revision):
                JSONWriter.append(raw: "{\"id\":", to: &bytes)
                JSONWriter.append(row.id, to: &bytes)
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
