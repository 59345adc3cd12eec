import HTTPTypes

/// What a proxy answers, and what a server that wants a login.
extension LegacyTransport {
    /// The trouble of one replication, as far as it has come.
    struct Troubled: Sendable {
        let trouble: Trouble

        /// The server that takes the other one's place.
        let restored: Responder?

        /// The session that is known, by its number.
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

        /// Whether the other server has taken the place.
        var isRestored: Bool { hasCome && restored != nil }

        /// - Returns: What a request is answered with; `nil` if the server answers it.
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
