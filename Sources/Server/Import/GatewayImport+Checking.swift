extension GatewayImport {
    /// Keeps entries only if the configuration would take them.
    mutating func checked(_ entries: [YAMLEntry], _ path: String, _ read: (ConfigurationNode) throws -> Void) -> [YAMLEntry] {
        guard !entries.isEmpty else { return [] }
        do {
            try read(try ConfigurationFile.node(YAMLNode.mapping(entries).rendered, environment: [:]))
            return entries
        } catch let error as ConfigurationError {
            drop(path, error.message)
        } catch {
            drop(path, "\(error)")
        }
        return []
    }
}
