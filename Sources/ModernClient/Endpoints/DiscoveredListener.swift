import Discovery

/// A listener in the local network, such as a bridge with `listen.discovery`.
///
/// Everything in it comes from the network, where everybody can announce a name. Use a certificate, or a pinned one, to know the listener.
public struct DiscoveredListener: Hashable, Sendable {
    /// The name for people.
    public let name: String

    /// The name of the machine, such as `bridge.local`.
    public let host: String

    /// An IPv4 or IPv6 address.
    public let address: String

    /// The port of the listener.
    public let port: Int

    /// Whether the listener requires TLS.
    public let isSecure: Bool

    /// The names of its databases, as far as they are announced.
    public let databases: [String]

    /// The endpoint of a database at this listener.
    ///
    /// With TLS it has the machine's name, which certificates name; without TLS the address, which needs no resolution.
    public func endpoint(database: String) -> URLEndpoint {
        let place = isSecure ? String(host.drop { $0 == "." }) : address.contains(":") ? "[\(address)]" : address
        return URLEndpoint(url: "\(isSecure ? "wss" : "ws")://\(place):\(port)/\(database)")
    }

    init(_ service: DiscoveredService) {
        name = service.name
        host = service.host
        address = service.address
        port = Int(service.port)
        isSecure = service["tls"].contains("1")
        databases = service["db"]
    }

    /// Searches the local network by DNS-SD, through the Avahi daemon.
    ///
    /// - Parameters:
    ///   - type: The type of the services.
    ///   - time: How long to wait for answers.
    /// - Throws: ``ReplicatorError`` with code `unsupported` without the library or its running daemon; `CancellationError`.
    public static func find(type: String = "_dualgauge._tcp", within time: Duration = .seconds(3)) async throws -> [DiscoveredListener] {
        guard let type = ServiceType(type) else {
            throw ReplicatorError(.invalidParameter, "\(type) is not a type of services, such as _dualgauge._tcp")
        }
        do {
            return try await ServiceSearch.services(of: type, within: time).map { DiscoveredListener($0) }
        } catch let error as DiscoveryError {
            throw ReplicatorError(.unsupported, error.description, cause: error)
        }
    }
}
