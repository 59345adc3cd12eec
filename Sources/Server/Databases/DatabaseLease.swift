import HummingbirdCore

/// Somebody uses a database: its store stays open until every lease is gone.
final class DatabaseLease: Sendable {
    let running: RunningDatabase

    /// Taken by the registry alone, while nobody can take the database away.
    init(_ running: RunningDatabase) {
        self.running = running
        running.uses.begin()
    }

    deinit { running.uses.end() }

    /// The answer, which keeps the lease until it has been written, or been dropped.
    func hold(_ response: Response) -> Response {
        let body = response.body
        let held = ResponseBody(contentLength: body.contentLength) { [self] writer in
            try await body.write(writer)
            withExtendedLifetime(self) {}
        }
        return Response(status: response.status, headers: response.headers, body: held)
    }
}
