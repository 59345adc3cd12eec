extension YAMLEntry {
    /// Why the configuration would not take these entries; `nil` if it does.
    static func refusal(of entries: [YAMLEntry], by read: (ConfigurationNode) throws -> Void) -> String? {
        guard !entries.isEmpty else { return nil }
        do {
            let root = YAMLNode.mapping(entries)
            let environment = Dictionary(root.variables.map { ($0, "x") }) { first, _ in first }
            try ConfigurationFile.content(of: root.rendered, environment: environment, read)
            return nil
        } catch let error as ConfigurationError {
            return error.findings.map(\.message).joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }
}
