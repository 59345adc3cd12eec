import Documents

/// An error within a list: of `_bulk_docs`, or of `_bulk_get`.
enum RowError {
    /// The error of a row; `nil` if it reports success. The status counts, or else the error's name (docs/protocol/legacy-1x.md#_bulk_docs).
    static func error(in row: JSONValue) -> ReplicationError? {
        let name = row["error"]?.string
        let status = row["status"]?.int
        guard name != nil || (status ?? 0) >= 400 else { return nil }
        let code: ReplicationError.Code
        if let status, status >= 400 {
            code = .init(rawValue: status)
        } else {
            switch name {
            case "unauthorized": code = .unauthorized
            case "forbidden": code = .forbidden
            case "conflict": code = .conflict
            case "missing", "not_found": code = .notFound
            case "bad_request", "doc_validation", "illegal_docid": code = .badRequest
            case "missing_stub": code = .preconditionFailed
            case "too_large", "document_too_large", "attachment_too_large": code = .tooLarge
            default: code = .unavailable
            }
        }
        return ReplicationError(code, "\(name ?? String(code.rawValue)): \(row["reason"]?.string ?? "no reason given")")
    }
}
