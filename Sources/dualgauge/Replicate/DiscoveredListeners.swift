import Discovery
import Documents

/// `dualgauge replicate --discover`.
enum DiscoveredListeners {
    /// How long answers are awaited.
    private static let time = Duration.seconds(3)

    static func show(_ output: OutputOptions) async throws {
        let services = try await ServiceSearch.services(within: time)
        try AccountAction.show(.array(services.map(json)), output, text: text(services))
    }

    static func text(_ services: [DiscoveredService]) -> String {
        guard !services.isEmpty else {
            return "No bridge has answered. A bridge announces itself with `listen.discovery` in its configuration."
        }
        var table = TextTable(["name", "host", "address", "TLS", "databases"])
        for service in services {
            table.add([
                CutoverText.line(service.name), CutoverText.line(service.host), "\(service.address) port \(service.port)",
                isSecure(service) ? "yes" : "no", CutoverText.line(urls(service).joined(separator: " ")),
            ])
        }
        return table.rendered
    }

    private static func json(_ service: DiscoveredService) -> JSONValue {
        .object([
            JSONMember("name", .string(service.name)), JSONMember("host", .string(service.host)),
            JSONMember("address", .string(service.address)), JSONMember("port", .number("\(service.port)")),
            JSONMember("tls", .bool(isSecure(service))), JSONMember("urls", .array(urls(service).map { .string($0) })),
        ])
    }

    private static func isSecure(_ service: DiscoveredService) -> Bool { service["tls"].contains("1") }

    /// The URLs of the databases for 2.x+ clients: with TLS by the machine's name, which certificates name.
    private static func urls(_ service: DiscoveredService) -> [String] {
        let place = isSecure(service) ? service.host : service.address.contains(":") ? "[\(service.address)]" : service.address
        return service["db"].map { "\(isSecure(service) ? "wss" : "ws")://\(place):\(service.port)/\($0)" }
    }
}
