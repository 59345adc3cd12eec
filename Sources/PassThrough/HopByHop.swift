package import HTTPTypes

/// The header fields that concern one connection alone (RFC 9110, 7.6.1). An intermediary does not pass them on.
package enum HopByHop {
    private static let names: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    /// The fields without those of the connection, and without those that `Connection` names. Order, spelling and repetitions stay.
    package static func removed(from fields: HTTPFields) -> HTTPFields {
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }.map {
            $0.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        // A client cannot have the body's length removed: without it the next server would find another end of the request.
        let dropped = names.union(named.filter { !["content-length", "host", "content-encoding"].contains($0) })
        var kept = HTTPFields()
        for field in fields where !dropped.contains(field.name.canonicalName) { kept.append(field) }
        return kept
    }
}
