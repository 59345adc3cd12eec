/// Where something stands in a configuration file.
public struct ConfigurationPlace: Hashable, Sendable {
    /// The file, where it has a name.
    public var file: String?

    /// From 1; `nil` where there is none, as for a file that cannot be read.
    public var line: Int?

    /// From 1, in Unicode scalars.
    public var column: Int?

    public init(file: String? = nil, line: Int? = nil, column: Int? = nil) {
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
    public static func < (one: ConfigurationPlace, other: ConfigurationPlace) -> Bool {
        (one.line ?? 0, one.column ?? 0) < (other.line ?? 0, other.column ?? 0)
    }
}
