package import Gateway

/// A parsed and checked file: its contents, and all errors and warnings.
package struct CheckedFile<Content: Sendable>: Sendable {
    /// The parsed contents. Valid only without errors: see ``get()``.
    package let content: Content?

    /// Errors and warnings, sorted by file and position.
    package private(set) var findings: [ConfigurationFinding]

    /// The positions of the databases, by name.
    package let databases: [String: DatabasePlaces]

    init(_ content: Content?, _ findings: [ConfigurationFinding], databases: [String: DatabasePlaces] = [:]) {
        self.content = content
        self.databases = databases
        self.findings = []
        add(findings)
    }

    /// Adds the findings of another check.
    package mutating func add(_ more: [ConfigurationFinding]) {
        // Files are in the order of their first finding. Later findings at the same position follow earlier ones.
        var files: [String?: Int] = [:]
        for finding in findings + more { files[finding.place.file] = files[finding.place.file] ?? files.count }
        findings = (findings + more).enumerated().sorted { one, other in
            let (file, otherFile) = (files[one.element.place.file] ?? 0, files[other.element.place.file] ?? 0)
            if file != otherFile { return file < otherFile }
            return one.element.place == other.element.place ? one.offset < other.offset : one.element.place < other.element.place
        }.map(\.element)
    }

    package var warnings: [ConfigurationFinding] { findings.filter { $0.severity == .warning } }

    /// All errors; `nil` if the file is usable.
    package var error: ConfigurationError? { ConfigurationError(findings) }

    /// The contents of the file.
    ///
    /// - Throws: ``ConfigurationError`` with all errors.
    package func get() throws -> Content {
        if let error { throw error }
        guard let content else { throw ConfigurationError(.unreadable, at: "", "the file cannot be read") }
        return content
    }
}

/// The positions of a database in a configuration file.
package struct DatabasePlaces: Hashable, Sendable {
    /// The position of the database's own key.
    package let database: ConfigurationPlace

    /// The position of its `collections`, which may be in the route file; the database's own key without `collections`.
    package let collections: ConfigurationPlace
}

/// The collections and routes of a route file.
package struct CheckedRoutes: Sendable {
    package let collections: [CollectionConfiguration]
    package let routes: [Route]
}
