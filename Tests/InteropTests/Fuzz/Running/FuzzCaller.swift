import HTTP

@testable import BridgeConfiguration
@testable import Server

/// A sender of requests, by its credentials.
struct FuzzCaller: Sendable {
    let name: String
    let port: PortKind

    /// The databases of its requests.
    let databases: [String]

    /// The headers of each request, by database; those under the empty name go with all requests.
    var proof: [String: [String: String]]

    /// Whether its credentials are invalid.
    let isShutOut: Bool

    /// Whether it logs in first, for a session.
    var logsIn = false

    /// The role of its own login at the admin port: `nil` for an unknown login.
    var role: AdminRole?

    func headers(in database: String?) -> [String: String] {
        (proof[""] ?? [:]).merging(proof[database ?? ""] ?? [:]) { $1 }
    }

    /// The marker words of documents that it must never get.
    var forbidden: [String] {
        if isShutOut { return [FuzzWorld.hidden, FuzzWorld.closed] }
        return port == .public ? [FuzzWorld.hidden] : []
    }

    static func login(_ name: String, _ password: String = FuzzWorld.password) -> [String: [String: String]] {
        ["": ["Authorization": BasicCredentials(user: name, password: password).authorization]]
    }

    /// All callers of a world.
    static func all(hasLogins: Bool) -> [FuzzCaller] {
        let both = ["shop", "closed"], every = ["shop", "closed", "lab", "moving"]
        let ofPublic = [
            FuzzCaller(name: "guest", port: .public, databases: ["shop"], proof: [:], isShutOut: false),
            FuzzCaller(name: "stranger", port: .public, databases: ["closed"], proof: [:], isShutOut: true),
            FuzzCaller(name: "impostor", port: .public, databases: both, proof: login("ghost", "wrong"), isShutOut: true),
            FuzzCaller(name: "anna", port: .public, databases: both, proof: login("anna"), isShutOut: false),
            FuzzCaller(name: "a user of the old server", port: .public, databases: ["moving"], proof: login("old", "x"), isShutOut: false),
            FuzzCaller(name: "anna's session", port: .public, databases: both, proof: [:], isShutOut: false, logsIn: true),
        ]
        guard hasLogins else {
            return ofPublic + [
                FuzzCaller(name: "administrator", port: .admin, databases: every, proof: [:], isShutOut: false, role: .administrator)
            ]
        }
        return ofPublic + [FuzzCaller(name: "nobody", port: .admin, databases: every, proof: [:], isShutOut: true)]
            + AdminRole.allCases.map {
                FuzzCaller(name: $0.rawValue, port: .admin, databases: every, proof: login($0.rawValue), isShutOut: false, role: $0)
            }
    }
}
