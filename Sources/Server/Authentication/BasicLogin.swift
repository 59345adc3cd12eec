import Access
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `Authorization: Basic`. Java and .NET clients send it with every request.
struct BasicLogin: LoginMethod {
    let passwords: PasswordLogin

    var kind: LoginKind { .password }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard let header = request.headers[.authorization], header.prefix(5).lowercased() == "basic" else { return nil }
        guard let credentials = BasicCredentials(authorization: header) else { throw AccessError(.invalidLogin, "Invalid login") }
        // Sync Gateway, too, takes empty credentials for none.
        if credentials.user.isEmpty, credentials.password.isEmpty { return nil }
        return Login(user: try await passwords.login(name: credentials.user, password: credentials.password, info))
    }
}

extension RequestInfo {
    /// Where a client is, for limits: its IP address without the port.
    var clientAddress: String { remoteAddress?.ipAddress ?? "local" }
}
