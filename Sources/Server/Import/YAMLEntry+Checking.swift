extension YAMLEntry {
    /// Why the configuration would not take these entries; `nil` if it does.
    static func refusal(of entries: [YAMLEntry], by read: (ConfigurationNode) throws -> Void) -> String? {
        guard !entries.isEmpty else { return nil }
        do {
            try read(try ConfigurationFile.node(YAMLNode.mapping(entries).rendered, environment: [:]))
            return nil
        } catch let error as ConfigurationError {
            return error.message
        } catch {
            return "\(error)"
        }
    }
}
