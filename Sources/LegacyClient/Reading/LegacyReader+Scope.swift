package import Documents
import HTTP

/// The part of the database that the user can read.
extension LegacyReader {
    /// The channels that the user can read; `nil` if the user can read every document: with the channel `*`, on the admin port, and on servers
    /// without channels.
    ///
    /// Sync Gateway lists them in `GET /{db}/_session` (`userCtx.channels`), except those of the user's roles. The channel `*` of a role would
    /// not suffice: the user's feed then contains documents in no channel, but Sync Gateway (2.8.4 and 3.2.8) does not let the user read them.
    ///
    /// - Throws: ``ReplicationError``.
    package func channels() async throws -> [String]? {
        try await remote.logIn()
        // Fails if the user may not read the database at all. The response also identifies the server.
        _ = try await value(RemoteRequest(""))
        guard remote.features.syncGatewayVersion != nil else { return nil }
        let context = try await value(RemoteRequest("_session"))["userCtx"]
        guard let channels = context?["channels"]?.members?.map(\.key) else { return nil }
        // Without a login, the admin port lists the guest's channels (none if the guest is disabled), but gives access to all documents.
        if context?["name"]?.string == nil, try await isAdminPort(channels.isEmpty) { return nil }
        return channels.contains("*") ? nil : channels.sorted()
    }

    /// A user's configuration on a Sync Gateway's admin port.
    ///
    /// - Returns: `nil` where this resource does not exist, as on a public port.
    /// - Throws: ``ReplicationError`` if the server cannot be reached at the moment. The request is not retried, because the caller is waiting.
    package func account(_ name: String) async throws -> JSONValue? {
        try await remote.logIn()
        var request = RemoteRequest("_user/\(PercentEncoding.encodePathSegment(name))")
        request.isRetried = false
        do {
            return try await value(request)
        } catch let error as ReplicationError where !error.isTransient {
            return nil
        }
    }

    /// Whether the server's root identifies itself as an admin port, as Sync Gateway's does.
    ///
    /// - Parameter assumed: The result if the root cannot be read, for example behind a proxy.
    private func isAdminPort(_ assumed: Bool) async throws -> Bool {
        var request = RemoteRequest("")
        request.isAtRoot = true
        do {
            return try await value(request)["ADMIN"]?.bool ?? assumed
        } catch let error as ReplicationError where !error.isTransient {
            return assumed
        }
    }
}
