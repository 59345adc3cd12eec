import Testing

/// The name of a type alone has to identify it: code, comments and the glossary use it without its module.
@Suite("Names of types")
struct TypeNameTests {
    /// A type at the top level of a file.
    private struct Declaration: Equatable {
        let name: String

        /// Relative to the package's folder.
        let path: String

        /// From 1.
        let line: Int

        var place: String { "\(path):\(line)" }
        var module: Substring { path.split(separator: "/").dropFirst().first ?? "" }
    }

    @Test("No two modules have a type of the same name")
    func names() {
        let declarations = SourceFile.all(in: "Sources").flatMap(Self.declarations)
        #expect(declarations.count > 1_000)
        for (first, second) in Self.clashes(in: declarations) {
            Issue.record("\(first.place) and \(second.place) both declare \(first.name). Share one type, or name each by its purpose.")
        }
    }

    @Test("Types are found behind modifiers and attributes; private and nested types and imports are not")
    func found() {
        let text = """
            package import struct A.B
            @frozen public struct C {
                struct D {}
            }
            @available(macOS 15, *) package final class E: F {}
            indirect enum G {}
            actor H {}
            package protocol I: Sendable {}
            package typealias J = Int
            private struct K {}
            fileprivate enum L {}
            extension M {}
            // struct N
            """
        let found = Self.declarations(in: SourceFile(path: "Sources/A/B.swift", text: text))
        #expect(found.map(\.name) == ["C", "E", "G", "H", "I", "J"])
        #expect(found.map(\.line) == [2, 5, 6, 7, 8, 9])
    }

    @Test("Types of one name clash if their modules differ")
    func clashing() {
        let declarations = [("A", "Sources/M/1"), ("B", "Sources/M/2"), ("B", "Sources/M/3"), ("A", "Sources/N/4")].map {
            Declaration(name: $0, path: $1, line: 1)
        }
        let clashes = Self.clashes(in: declarations)
        #expect(clashes.map(\.0.path) == ["Sources/M/1"])
        #expect(clashes.map(\.1.path) == ["Sources/N/4"])
    }

    /// The types of a file that other files can use.
    private static func declarations(in file: SourceFile) -> [Declaration] {
        let declaration =
            /(?:@\w+(?:\(.*?\))? |(?:public|package|internal|open|final|indirect|nonisolated) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
        return file.lines.enumerated().compactMap { index, line in
            line.prefixMatch(of: declaration).map { Declaration(name: String($0.1), path: file.path, line: index + 1) }
        }
    }

    /// Pairs of the first declaration of a name and a later one in another module.
    ///
    /// The compiler finds two of one name in a module, unless only one of them is compiled for a platform.
    private static func clashes(in declarations: [Declaration]) -> [(Declaration, Declaration)] {
        var known: [String: Declaration] = [:]
        return declarations.compactMap { declaration in
            guard let first = known[declaration.name] else {
                known[declaration.name] = declaration
                return nil
            }
            return first.module == declaration.module ? nil : (first, declaration)
        }
    }
}
