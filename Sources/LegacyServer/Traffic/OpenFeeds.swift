import Coordination
import Gateway
import HummingbirdCore
import LegacyProtocol

/// Counts the open feeds of each client.
final class OpenFeeds: Sendable {
    private struct State {
        var limit: Int
        var counts: [ClientIdentity: Int] = [:]
    }

    private let state: Lock<State>

    init(limit: Int) {
        state = Lock(State(limit: limit))
    }

    func change(limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Counts another open feed until the returned object is released.
    ///
    /// - Parameter visit: Records that the client uses the database; released together with the returned object.
    /// - Throws: ``LegacyError`` with code `tooManyRequests` if the client has reached the limit.
    func open(for client: ClientIdentity, visit: OpenVisit?) throws(LegacyError) -> OpenFeed {
        let (isAllowed, limit) = state.withLock { state in
            let count = state.counts[client, default: 0]
            guard count < state.limit else { return (false, state.limit) }
            state.counts[client] = count + 1
            return (true, state.limit)
        }
        guard isAllowed else {
            throw LegacyError(.tooManyRequests, "\(limit) feeds are open already; close a feed, or ask the operator for a higher limit")
        }
        return OpenFeed(feeds: self, client: client, visit: visit)
    }

    fileprivate func close(_ client: ClientIdentity) {
        state.withLock { state in
            let count = state.counts[client, default: 0] - 1
            state.counts[client] = count > 0 ? count : nil
        }
    }
}

/// One open feed. It is closed when the last reference is released.
final class OpenFeed: Sendable {
    private let feeds: OpenFeeds
    private let client: ClientIdentity
    private let visit: OpenVisit?

    fileprivate init(feeds: OpenFeeds, client: ClientIdentity, visit: OpenVisit?) {
        self.feeds = feeds
        self.client = client
        self.visit = visit
    }

    deinit { feeds.close(client) }

    /// The response, whose body keeps the feed open until it was written or discarded.
    func attached(to response: Response) -> Response {
        let body = response.body
        let attachedBody = ResponseBody(contentLength: body.contentLength) { [self] writer in
            try await body.write(writer)
            withExtendedLifetime(self) {}
        }
        return Response(status: response.status, headers: response.headers, body: attachedBody)
    }
}
