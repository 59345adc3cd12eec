/// Who sends a request to the admin port.
struct AdminCaller: Hashable, Sendable {
    /// `nil` where the port asks for no login.
    let name: String?
    let role: AdminRole

    /// Anybody, at a port without logins.
    static let anybody = AdminCaller(name: nil, role: .administrator)
}
