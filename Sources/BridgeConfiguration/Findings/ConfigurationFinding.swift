/// One mistake in a configuration file, or one thing in it that deserves a look.
package struct ConfigurationFinding: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The file cannot be used.
        case error
        /// The file can be used, and probably does not do what was meant.
        case warning
    }

    package let severity: Severity
    package let code: ConfigurationError.Code
    package internal(set) var place: ConfigurationPlace

    /// The way to the key, such as `databases.shop.routes[2].when`.
    package let path: String

    /// What is wrong there and what to write instead.
    package let message: String

    package init(_ severity: Severity, _ code: ConfigurationError.Code, at place: ConfigurationPlace, path: String, _ message: String) {
        self.severity = severity
        self.code = code
        self.place = place
        self.path = path
        self.message = message
    }

    /// `dualgauge.yaml:12:5: warning: databases.shop.routes[2].when: …`, as compilers write it.
    package var line: String {
        [place.description, severity.rawValue, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// `dualgauge.yaml:12:5: databases.shop.routes[2].when: …`
    package var description: String {
        [place.description, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// Where something stands in a configuration file.
package struct ConfigurationPlace: Hashable, Sendable {
    /// The file, where it has a name.
    package var file: String?

    /// From 1; `nil` where there is none, as for a file that cannot be read.
    package var line: Int?

    /// From 1, in Unicode scalars.
    package var column: Int?

    package init(file: String? = nil, line: Int? = nil, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `dualgauge.yaml:12:5`, as compilers write it and editors understand it.
    var description: String {
        guard let file else { return line.map { "line \($0)\(column.map { ", column \($0)" } ?? "")" } ?? "" }
        return ([file] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":")
    }
}

extension ConfigurationPlace: Comparable {
    package static func < (one: ConfigurationPlace, other: ConfigurationPlace) -> Bool {
        (one.line ?? 0, one.column ?? 0) < (other.line ?? 0, other.column ?? 0)
    }
}

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
