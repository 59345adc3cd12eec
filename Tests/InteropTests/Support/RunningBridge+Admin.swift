import HTTP

extension RunningBridge {
    /// One request to the admin port over a connection of its own.
    func admin(_ method: String, _ path: String, _ body: String = "", headers: String = "") async throws -> RawAnswer {
        let socket = try RawSocket(port: adminPort)
        defer { socket.cut() }
        return try await socket.ask(method, path, body, headers: headers)
    }
}

/// A header line of Basic credentials.
func basic(_ user: String, _ password: String) -> String {
    "Authorization: \(BasicCredentials(user: user, password: password).authorization)\r\n"
}
