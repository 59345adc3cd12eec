import Logging

extension LogSettings {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["level", "domains", "redaction", "format"])
        if let node = members["level"] { level = try node.choice(Logger.Level.self) }
        if let node = members["redaction"] { redaction = try node.choice(Redaction.self) }
        if let node = members["format"] { format = try node.choice(Format.self) }
        for (name, node) in try members["domains"]?.members(LogDomain.allCases.map(\.rawValue)) ?? [:] {
            guard let domain = LogDomain(rawValue: name) else { continue }
            domains[domain] = try node.choice(Logger.Level.self)
        }
    }
}
