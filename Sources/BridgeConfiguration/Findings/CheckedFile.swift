package import Gateway

/// A file that was read and checked: what it says, and all that was found in it.
package struct CheckedFile<Content: Sendable>: Sendable {
    /// What could be read. To be used only if there are no mistakes: see ``get()``.
    package let content: Content?

    /// Mistakes and warnings, in the order of the file's lines.
    package private(set) var findings: [ConfigurationFinding]

    /// The databases by their names.
    package let databases: [String: DatabasePlaces]

    init(_ content: Content?, _ findings: [ConfigurationFinding], databases: [String: DatabasePlaces] = [:]) {
        self.content = content
        self.databases = databases
        self.findings = []
        add(findings)
    }

    /// Adds what another check has found.
    package mutating func add(_ more: [ConfigurationFinding]) {
        // Files in the order in which they were read, and what a check finds later in a line behind what was there.
        var files: [String?: Int] = [:]
        for finding in findings + more { files[finding.place.file] = files[finding.place.file] ?? files.count }
        findings = (findings + more).enumerated().sorted { one, other in
            let (file, otherFile) = (files[one.element.place.file] ?? 0, files[other.element.place.file] ?? 0)
            if file != otherFile { return file < otherFile }
            return one.element.place == other.element.place ? one.offset < other.offset : one.element.place < other.element.place
        }.map(\.element)
    }

    package var warnings: [ConfigurationFinding] { findings.filter { $0.severity == .warning } }

    /// All mistakes; `nil` if the file can be used.
    package var error: ConfigurationError? { ConfigurationError(findings) }

    /// What the file says.
    ///
    /// - Throws: ``ConfigurationError`` with all mistakes.
    package func get() throws -> Content {
        if let error { throw error }
        guard let content else { throw ConfigurationError(.unreadable, at: "", "the file cannot be read") }
        return content
    }
}

/// Where a database stands in a configuration file.
package struct DatabasePlaces: Hashable, Sendable {
    /// The database's own key.
    package let database: ConfigurationPlace

    /// Its `collections`, in the file that has them; its own key where there are none.
    package let collections: ConfigurationPlace
}

/// Collections and routes, as they stand in a file of their own.
package struct CheckedRoutes: Sendable {
    package let collections: [CollectionConfiguration]
    package let routes: [Route]
}
