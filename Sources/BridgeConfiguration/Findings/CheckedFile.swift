public import Gateway

/// A file that was read and checked: what it says, and all that was found in it.
public struct CheckedFile<Content: Sendable>: Sendable {
    /// What could be read. To be used only if there are no mistakes: see ``get()``.
    public let content: Content?

    /// Mistakes and warnings, in the order of the file's lines.
    public private(set) var findings: [ConfigurationFinding]

    /// The databases by their names.
    public let databases: [String: DatabasePlaces]

    init(_ content: Content?, _ findings: [ConfigurationFinding], databases: [String: DatabasePlaces] = [:]) {
        self.content = content
        self.databases = databases
        self.findings = []
        add(findings)
    }

    /// Adds what another check has found.
    public mutating func add(_ more: [ConfigurationFinding]) {
        // Files in the order in which they were read, and what a check finds later in a line behind what was there.
        var files: [String?: Int] = [:]
        for finding in findings + more { files[finding.place.file] = files[finding.place.file] ?? files.count }
        findings = (findings + more).enumerated().sorted { one, other in
            let (file, otherFile) = (files[one.element.place.file] ?? 0, files[other.element.place.file] ?? 0)
            if file != otherFile { return file < otherFile }
            return one.element.place == other.element.place ? one.offset < other.offset : one.element.place < other.element.place
        }.map(\.element)
    }

    public var warnings: [ConfigurationFinding] { findings.filter { $0.severity == .warning } }

    /// All mistakes; `nil` if the file can be used.
    public var error: ConfigurationError? { ConfigurationError(findings) }

    /// What the file says.
    ///
    /// - Throws: ``ConfigurationError`` with all mistakes.
    public func get() throws -> Content {
        if let error { throw error }
        guard let content else { throw ConfigurationError(.unreadable, at: "", "the file cannot be read") }
        return content
    }
}

/// Where a database stands in a configuration file.
public struct DatabasePlaces: Hashable, Sendable {
    /// The database's own key.
    public let database: ConfigurationPlace

    /// Its `collections`, in the file that has them; its own key where there are none.
    public let collections: ConfigurationPlace
}

/// Collections and routes, as they stand in a file of their own.
public struct CheckedRoutes: Sendable {
    public let collections: [CollectionConfiguration]
    public let routes: [Route]
}
