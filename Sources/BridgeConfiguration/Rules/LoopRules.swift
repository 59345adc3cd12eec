import Authentication
import Foundation
import Gateway
import HTTP

/// Finds replications that lead back to this bridge through its own addresses. Loops through other names and proxies are detected at run time.
struct LoopRules {
    /// A replication or an old server whose address is a database of this bridge.
    private struct Lead {
        let target: String
        let isUpstream: Bool
        let node: ConfigurationNode?
    }

    let configuration: ServerConfiguration
    let root: ConfigurationNode

    func check() {
        let names = Set(configuration.databases.map(\.configuration.name))
        var upstreams: [String: Lead] = [:]
        for database in configuration.databases {
            let name = database.configuration.name
            for lead in leads(of: database) where names.contains(lead.target) {
                if lead.target == name {
                    (lead.node ?? root).refuse(
                        .contradiction,
                        "this leads to the database `\(name)` of this bridge itself; write the address of the other server")
                } else if lead.isUpstream {
                    upstreams[name] = lead
                }
            }
        }
        for (name, lead) in upstreams where isCircle(from: name, upstreams) {
            (lead.node ?? root).refuse(
                .contradiction,
                "the old server of `\(name)` is the database `\(lead.target)` of this bridge, whose old servers lead back to `\(name)`; write the address of another server"
            )
        }
    }

    private func isCircle(from start: String, _ upstreams: [String: Lead]) -> Bool {
        var seen: Set<String> = []
        var next = upstreams[start]?.target
        while let name = next, name != start {
            guard seen.insert(name).inserted else { return false }
            next = upstreams[name]?.target
        }
        return next == start
    }

    private func leads(of database: ServerConfiguration.ServedDatabase) -> [Lead] {
        let node = root["databases"]?[database.configuration.name]
        let upstream = LegacyUpstream(database)
        var leads = database.replications.compactMap { name, definition -> Lead? in
            guard case .server(let address) = definition.target, let target = ownDatabase(address.url) else { return nil }
            let replication = node?["replications"]?[name]
            return Lead(
                target: target, isUpstream: upstream?.isServer(of: definition) ?? false, node: replication?["remote"] ?? replication)
        }
        if let login = database.authenticators.upstream, let target = ownDatabase(login.database.url) {
            leads.append(Lead(target: target, isUpstream: true, node: node?["authenticators"]?["upstream"]))
        }
        return leads
    }

    /// The database of this bridge that a URL addresses; `nil` for other servers.
    private func ownDatabase(_ url: String) -> String? {
        guard let parts = URLComponents(string: url), let host = parts.host?.trimmingCharacters(in: ["[", "]"]).lowercased() else {
            return nil
        }
        let isSecure = ["https", "wss"].contains(parts.scheme?.lowercased())
        let port = parts.port ?? (isSecure ? 443 : 80)
        let listen = configuration.listen
        guard [listen.publicAddress, listen.adminAddress].contains(where: { $0.isReached(at: host, port) }) else { return nil }
        return parts.path.split(separator: "/").first.map(String.init)
    }
}

extension ListenAddress {
    /// Whether a URL with this host and port reaches this address, judged by this machine's own names and addresses.
    fileprivate func isReached(at host: String, _ port: Int) -> Bool {
        guard port == self.port, port != 0 else { return false }
        if host == self.host.lowercased() { return true }
        let other = ListenAddress(host: host, port: port)
        if isLoopback { return other.isLoopback }
        guard isEverywhere else { return false }
        return other.isLoopback || other.isEverywhere || host == ProcessInfo.processInfo.hostName.lowercased() || LocalInterface.has(host)
    }
}
