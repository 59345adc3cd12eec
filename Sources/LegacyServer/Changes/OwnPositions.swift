import Documents
package import Gateway
import HTTP

/// Finds this server's positions in `_changes` requests that go to another server, and replaces them by the begin of the feed.
///
/// Change trackers of Couchbase Lite 1.x go on with the last position in memory when a feed has broken. After a move to another server that position
/// means nothing there: the client would get no row until the other server had reached it. From the begin it is offered all rows, and fetches no
/// document that it has.
package struct OwnPositions: Sendable {
    private let own: LocalSequences

    package init(_ own: LocalSequences) {
        self.own = own
    }

    /// Whether a `since` is a position of this server's feed.
    func contains(_ since: String) -> Bool {
        guard since != "now", case .here(let position)? = try? SequencePosition.parse(since, own) else { return false }
        return position != .zero
    }

    /// A request target whose `since` is replaced. All other bytes stay.
    package func removed(fromTarget raw: String) -> String {
        guard let start = raw.utf8.firstIndex(of: UInt8(ascii: "?")), let query = try? RequestTarget(raw).query,
            query.values(named: "since").contains(where: contains)
        else { return raw }
        let items = raw[raw.utf8.index(after: start)...].split(separator: "&", omittingEmptySubsequences: false)
        return raw[...start] + items.map { $0.hasPrefix("since=") ? "since=0" : String($0) }.joined(separator: "&")
    }

    /// The options of a `_changes` request whose `since` is replaced.
    ///
    /// - Parameter bytes: The body of the request, or the first message of a WebSocket feed.
    /// - Returns: `nil` if the bytes can stay as they are.
    package func removed(fromOptions bytes: [UInt8]) -> [UInt8]? {
        guard let options = try? JSONValue(bytes, maximumDepth: 8), let since = options["since"], contains(Self.text(since)) else {
            return nil
        }
        var changed: [UInt8] = []
        options.merging(.object([JSONMember("since", .number("0"))])).append(to: &changed)
        return changed
    }

    private static func text(_ since: JSONValue) -> String {
        switch since {
        case .string(let text), .number(let text): return text
        default: return ""
        }
    }
}
