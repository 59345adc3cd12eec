/// Collects what is found in a configuration while it is read. One for a file and the files that it names.
final class ConfigurationFindings {
    private(set) var all: [ConfigurationFinding] = []

    /// The functions that were read, to be compiled when everything has been.
    private(set) var scripts: [ConfigurationScript] = []

    /// Where the databases stand, by their names.
    var databases: [String: DatabasePlaces] = [:]

    func add(_ finding: ConfigurationFinding) {
        // An anchor's mapping is read again wherever it is used; its mistakes are told once.
        if !all.contains(finding) { all.append(finding) }
    }

    func add(_ error: ConfigurationError) {
        error.findings.forEach(add)
    }

    func add(_ script: ConfigurationScript) {
        scripts.append(script)
    }
}
