import Access
import Authentication
import Gateway

/// Checks the addresses of the two ports against each other, and against the rest of the file.
struct ListenRules {
    /// The length in bytes below which an admin password causes a warning.
    private static let shortPassword = 8

    let configuration: ServerConfiguration
    let root: ConfigurationNode

    func check() {
        let listen = configuration.listen
        let node = root["listen"]
        if listen.publicAddress.overlaps(listen.adminAddress) {
            (node?["admin"] ?? node?["public"] ?? root).refuse(
                .contradiction,
                "the admin port is at \(listen.adminAddress) and the public port at \(listen.publicAddress): both cannot listen there; give one of them another port"
            )
        }
        // Access to the admin port allows reading and changing all data.
        if !listen.adminAddress.isLoopback, configuration.adminAuth == nil {
            (node?["admin"] ?? root).warn(
                .exposedAdmin,
                """
                the admin port listens at \(listen.adminAddress), beyond this machine, and requires no login; listen at 127.0.0.1, or name users \
                in `adminAuth`
                """
            )
        }
        for (name, user) in configuration.adminAuth?.users ?? [:] {
            guard case .text(let password) = user.password, password.revealed.utf8.count < Self.shortPassword else { continue }
            root["adminAuth"]?["users"]?[name]?["password"]?.warn(
                .weakPassword,
                "the password is shorter than \(Self.shortPassword) bytes, and a client that guesses it has the role \(user.role.rawValue)")
        }
        guard listen.tls?.clientCA == nil else { return }
        for database in configuration.databases where database.authenticators.clientCertificate != nil {
            root["databases"]?[database.configuration.name]?["authenticators"]?["clientCertificate"]?.refuse(
                .missingKey, "clients are asked for certificates only with `listen.tls.clientCA`, the authority that signs them")
        }
    }
}

extension ListenAddress {
    /// Whether two sockets cannot listen on these addresses at the same time. Port 0 is any free port.
    fileprivate func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, port != 0 else { return false }
        return host == other.host || isEverywhere || other.isEverywhere
            || isLoopback && other.isLoopback && [host, other.host].contains("localhost")
    }

    var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }
}
