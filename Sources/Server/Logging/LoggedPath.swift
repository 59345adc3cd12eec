import Foundation
import HTTP

/// A request's target as the log shows it: without secrets.
///
/// Of the query, only parameters that select rows are shown. Paths of the admin port contain session IDs, so everything after `_session` is
/// left out.
struct LoggedPath {
    let text: String
    let isBLIP: Bool

    private static let shown: Set<String> = [
        "active_only", "attachments", "conflicts", "descending", "feed", "filter", "heartbeat", "include_docs", "latest", "limit",
        "new_edits", "open_revs", "rev", "revs", "since", "style", "timeout",
    ]

    /// The longest path that is logged, in bytes.
    private static let length = 1024

    init(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = String(parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        isBLIP = segments.last == "_blipsync"
        var path = segments.joined(separator: "/")
        // Includes percent-encoded spellings.
        if let session = segments.firstIndex(where: { ($0.removingPercentEncoding ?? "_session").contains("_session") }),
            session < segments.count - 1
        {
            path = segments[...session].joined(separator: "/") + "/\u{2026}"
        }
        let query =
            parts.count < 2
            ? ""
            : parts[1].split(separator: "&").filter { item in
                Self.shown.contains(String(item.prefix { $0 != "=" }))
            }
            .joined(separator: "&")
        let whole = query.isEmpty ? path : "\(path)?\(query)"
        text = whole.utf8.count <= Self.length ? whole : String(decoding: whole.utf8.prefix(Self.length), as: UTF8.self) + "\u{2026}"
    }
}
