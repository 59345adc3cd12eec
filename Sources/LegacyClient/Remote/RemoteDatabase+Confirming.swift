extension RemoteDatabase {
    /// Sends a request that an intermediary, such as a proxy, may refuse because of its path or size.
    ///
    /// A refusal by an intermediary is attributed to the request if the server itself answers another request and this request is refused again.
    /// Otherwise the intermediary is answering for the server at the moment, and the result is unknown.
    ///
    /// - Parameters:
    ///   - isRetried: Whether the check of the server is retried, as other requests are, while an intermediary answers for it.
    ///   - exchange: Sends the request, which is marked as ``RemoteRequest/isConfirmed``.
    /// - Throws: ``ReplicationError``, from ``ReplicationError/Origin/filter`` if only this request is refused.
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

    /// Checks that the server itself answers, with whatever status.
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
