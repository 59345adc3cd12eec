extension RemoteDatabase {
    /// Sends a request that somebody on the way to the server may refuse for itself: a proxy by its path or its size.
    ///
    /// A refusal that is not the server's own counts for the request if the server itself answers another one and the request is refused again.
    /// Otherwise the proxy answers in the server's place for the time being, and nothing is known.
    ///
    /// - Parameters:
    ///   - isRetried: whether the server is waited for as for other requests, while somebody answers in its place.
    ///   - exchange: sends it; it is marked as ``RemoteRequest/isConfirmed``.
    /// - Throws: ``ReplicationError``, from ``ReplicationError/Origin/filter`` if the request is refused for itself.
    func confirmingRefusals<Value: Sendable>(
        isRetried: Bool = true, _ exchange: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await exchange()
        } catch let error as ReplicationError where error.isIntermediarysRefusal {
            try await reachServer(isRetried: isRetried)
        }
        do {
            return try await exchange()
        } catch let error as ReplicationError where error.isIntermediarysRefusal {
            throw error.ofThisRequest
        }
    }

    /// Sees whether the server itself answers, whatever it says.
    private func reachServer(isRetried: Bool) async throws {
        var request = RemoteRequest("")
        request.isRetried = isRetried
        do {
            _ = try await json(request)
        } catch let error as ReplicationError where error.origin == .server && !error.isTransient {
            return
        }
    }
}
