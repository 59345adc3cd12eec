import HTTPTypes

/// Replies of a proxy, and of a server that needs a login.
extension LegacyTransport {
    /// The state of one replication's fault.
    struct Troubled: Sendable {
        let trouble: Trouble

        /// The server that replaces the other one.
        let restored: Responder?

        /// The number of the valid session.
        private var session = 0
        private(set) var hasCome = false

        init(_ trouble: Trouble, restored: Responder?) {
            self.trouble = trouble
            self.restored = restored
        }

        private var position: Int {
            switch trouble {
            case .proxy(_, _, let position), .sessionEnds(let position), .restored(let position): position
            }
        }

        /// Whether the other server has replaced the first.
        var isRestored: Bool { hasCome && restored != nil }

        /// - Returns: The reply to a request; `nil` if the server replies itself.
        mutating func answer(_ count: Int, _ method: HTTPRequest.Method, _ target: String, cookie: String?) -> Answer? {
            if count >= position, !hasCome {
                hasCome = true
                if case .sessionEnds = trouble { session += 1 }
            }
            switch trouble {
            case .proxy(let status, let number, let position):
                guard position..<(position + number) ~= count else { return nil }
                return Answer(status: status, headers: [.contentType: "text/html"], body: Array("<html></html>".utf8))
            case .restored: return nil
            case .sessionEnds:
                if method == .post, target.hasSuffix("/_session") {
                    session += 1
                    return Answer(status: 200, headers: [.setCookie: "session=\(session)"], body: Array("{}".utf8))
                }
                guard session == 0 || cookie != "session=\(session)" else { return nil }
                return Answer(status: 401, headers: [:], body: Array(#"{"error":"Unauthorized","reason":"Session Invalid"}"#.utf8))
            }
        }
    }
}
