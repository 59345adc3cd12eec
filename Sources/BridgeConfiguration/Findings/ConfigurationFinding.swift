/// An error or a warning about a configuration file.
package struct ConfigurationFinding: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The file cannot be used.
        case error
        /// The file is usable, but probably does not do what its author meant.
        case warning
    }

    package let severity: Severity
    package let code: ConfigurationError.Code
    package internal(set) var place: ConfigurationPlace

    /// The path of the key, such as `databases.shop.routes[2].when`.
    package let path: String

    /// The problem and its correction.
    package let message: String

    package init(_ severity: Severity, _ code: ConfigurationError.Code, at place: ConfigurationPlace, path: String, _ message: String) {
        self.severity = severity
        self.code = code
        self.place = place
        self.path = path
        self.message = message
    }

    /// `dualgauge.yaml:12:5: warning: databases.shop.routes[2].when: …`, the format of compiler messages.
    package var line: String {
        [place.description, severity.rawValue, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// `dualgauge.yaml:12:5: databases.shop.routes[2].when: …`
    package var description: String {
        [place.description, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// A position in a configuration file.
package struct ConfigurationPlace: Hashable, Sendable {
    /// The file's name; `nil` for a text without a file.
    package var file: String?

    /// The line, from 1; `nil` for findings without a line, such as an unreadable file.
    package var line: Int?

    /// The column, from 1, in Unicode scalars.
    package var column: Int?

    package init(file: String? = nil, line: Int? = nil, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `dualgauge.yaml:12:5`, a format that editors recognise.
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

/// Collects the findings while a configuration is parsed: one object for a file and the files that it names.
final class ConfigurationFindings {
    private(set) var all: [ConfigurationFinding] = []

    /// The parsed functions, which are compiled after parsing.
    private(set) var scripts: [ConfigurationScript] = []

    /// The positions of the databases, by name.
    var databases: [String: DatabasePlaces] = [:]

    func add(_ finding: ConfigurationFinding) {
        // An anchor's mapping is parsed again at each alias; its errors are reported once.
        if !all.contains(finding) { all.append(finding) }
    }

    func add(_ error: ConfigurationError) {
        error.findings.forEach(add)
    }

    func add(_ script: ConfigurationScript) {
        scripts.append(script)
    }
}
