public import Documents
import HTTP

/// What of the database the login sees.
extension LegacyReader {
    /// The channels that the login sees; `nil` if it sees every document, as by the channel `*`, on the admin port, and on servers without channels.
    ///
    /// Sync Gateway tells them in `GET /{db}/_session` (`userCtx.channels`), but for those of the user's roles. The channel `*` of a role is not enough
    /// anyway: documents in no channel are in the user's feed then, and Sync Gateway (2.8.4 and 3.2.8) does not let him read them.
    ///
    /// - Throws: ``ReplicationError``.
    public func channels() async throws -> [String]? {
        try await remote.logIn()
        // Whoever may not read the database at all is refused here, and the answer tells which server it is.
        _ = try await value(RemoteRequest(""))
        guard remote.features.syncGatewayVersion != nil else { return nil }
        let context = try await value(RemoteRequest("_session"))["userCtx"]
        guard let channels = context?["channels"]?.members?.map(\.key) else { return nil }
        // Without a login the admin port tells the guest's channels, and none where no guest is let in, and reads everything all the same.
        if context?["name"]?.string == nil, try await isAdminPort(channels.isEmpty) { return nil }
        return channels.contains("*") ? nil : channels.sorted()
    }

    /// What a Sync Gateway's admin port tells of a user.
    ///
    /// - Returns: `nil` where there is no such thing, as on a public port.
    /// - Throws: ``ReplicationError`` if the server cannot be asked at the moment. Nothing is tried again: somebody waits for it.
    public func account(_ name: String) async throws -> JSONValue? {
        try await remote.logIn()
        var request = RemoteRequest("_user/\(PercentEncoding.encodePathSegment(name))")
        request.isRetried = false
        do {
            return try await value(request)
        } catch let error as ReplicationError where !error.isTransient {
            return nil
        }
    }

    /// Whether the server's root says so, as that of Sync Gateway's admin port does.
    ///
    /// - Parameter assumed: what holds where the root cannot be asked, behind a proxy for example.
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
