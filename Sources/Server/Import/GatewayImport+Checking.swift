extension GatewayImport {
    /// Keeps entries only if the configuration would take them.
    mutating func checked(_ entries: [YAMLEntry], _ path: String, _ read: (ConfigurationNode) throws -> Void) -> [YAMLEntry] {
        guard let reason = YAMLEntry.refusal(of: entries, by: read) else { return entries }
        drop(path, reason)
        return []
    }

    /// What holds for one database: what stands beside the databases, and what it says itself.
    mutating func readAuthenticators(_ section: GatewaySection) -> [YAMLEntry] {
        let own = carriedOver(section)
        let shared = sharedAuthenticators.filter { entry in !own.contains { $0.key == entry.key } }
        let entries = shared + own
        return entries.isEmpty ? [] : [YAMLEntry("authenticators", .mapping(entries))]
    }

    /// Who may vouch for users by this section.
    mutating func carriedOver(_ section: GatewaySection) -> [YAMLEntry] {
        var authenticators = GatewayAuthenticators()
        authenticators.read(section)
        dropped += authenticators.passedOver + authenticators.refused
        notes += authenticators.notes
        return authenticators.entries
    }
}
