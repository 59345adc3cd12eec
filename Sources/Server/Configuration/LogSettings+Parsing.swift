import Logging

extension LogSettings {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["level", "domains", "redaction", "format"])
        members["level"]?.read { level = try $0.choice(Logger.Level.self) }
        members["redaction"]?.read { redaction = try $0.choice(Redaction.self) }
        members["format"]?.read { format = try $0.choice(Format.self) }
        let domainNodes = members["domains"]?.read { try $0.members(LogDomain.allCases.map(\.rawValue)) }
        for (name, node) in domainNodes ?? [:] {
            guard let domain = LogDomain(rawValue: name) else { continue }
            node.read { domains[domain] = try $0.choice(Logger.Level.self) }
        }
    }
}
