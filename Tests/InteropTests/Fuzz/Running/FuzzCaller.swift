import HTTP

@testable import BridgeConfiguration
@testable import Server

/// Somebody who sends requests, by what he proves.
struct FuzzCaller: Sendable {
    let name: String
    let port: PortKind

    /// What he asks for.
    let databases: [String]

    /// What he sends with each request, by database; under the empty name what he sends with all.
    var proof: [String: [String: String]]

    /// Whether he proves nothing that lets him in.
    let isShutOut: Bool

    /// Whether he logs in first, for a session.
    var logsIn = false

    /// At the admin port with a login of its own: `nil` for nobody known.
    var role: AdminRole?

    func headers(in database: String?) -> [String: String] {
        (proof[""] ?? [:]).merging(proof[database ?? ""] ?? [:]) { $1 }
    }

    /// The marks of documents that he may never be shown.
    var forbidden: [String] {
        if isShutOut { return [FuzzWorld.hidden, FuzzWorld.closed] }
        return port == .public ? [FuzzWorld.hidden] : []
    }

    static func login(_ name: String, _ password: String = FuzzWorld.password) -> [String: [String: String]] {
        ["": ["Authorization": BasicCredentials(user: name, password: password).authorization]]
    }

    /// Everybody of a world.
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
