import Foundation
import Testing

/// An app links everything that its products depend on. It serves no clients, so no server and no verification of logins belongs to it.
@Suite("The modules that an app links")
struct ProductTests {
    private static let products = ["LocalStore", "LegacyClient", "ModernClient"]

    private static let servers: Set = ["Authentication", "HTTPListener", "LegacyServer", "ModernServer", "Server"]

    /// Modules of other packages that only a server needs, and their short names in the manifest.
    private static let libraries = ["HummingbirdCore": "hummingbirdCore"]

    private static func manifest() throws -> String {
        try String(contentsOf: SourceFile.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    }

    /// The modules of a manifest, with the names of their dependencies: modules, and short names of other packages' products.
    private static func modules(in manifest: String) -> [String: Set<String>] {
        let entries = manifest.matches(of: /\bmodule\(\s*"(\w+)",\s*\[([^\]]*)\]/).map { entry in
            (String(entry.1), Set(entry.2.matches(of: /\w+/).map { String($0.output) }))
        }
        return Dictionary(entries) { $0.union($1) }
    }

    /// The given modules, and everything that they depend on, directly or through others.
    private static func closure(of names: [String], in modules: [String: Set<String>]) -> Set<String> {
        var (closure, pending) = (Set<String>(), names)
        while let name = pending.popLast() {
            if closure.insert(name).inserted { pending += modules[name] ?? [] }
        }
        return closure
    }

    /// The names of the modules that a file imports.
    private static func imports(in text: String) -> Set<String> {
        let pattern = /(?m)^(?:@\w+ )*(?:[a-z]+ )?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)/
        return Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test("None of them is a server, by the manifest")
    func modules() throws {
        let modules = Self.modules(in: try Self.manifest())
        for name in Self.servers.union(Self.products) { #expect(modules[name] != nil, "the manifest has no module \(name)") }
        #expect(modules["HTTPListener"]?.isSuperset(of: Self.libraries.values) == true)
        let closure = Self.closure(of: Self.products, in: modules)
        #expect(closure.isSuperset(of: ["Gateway", "HTTP", "Coordination"]))
        let found = closure.intersection(Self.servers.union(Self.libraries.values))
        #expect(found.isEmpty, "an app links \(found.sorted())")
    }

    @Test("None of their files imports a server")
    func imports() throws {
        let forbidden = Self.servers.union(Self.libraries.keys)
        let files = Self.closure(of: Self.products, in: Self.modules(in: try Self.manifest())).flatMap {
            SourceFile.all(in: "Sources/\($0)")
        }
        #expect(files.count > 200)
        for file in files {
            let found = Self.imports(in: file.text).intersection(forbidden)
            if !found.isEmpty { Issue.record("\(file.path) imports \(found.sorted())") }
        }
    }

    @Test("Dependencies through others are found, and imports with attributes and access levels")
    func found() {
        let modules = Self.modules(
            in: """
                module("A", ["B", log]),
                module(
                    "B", ["C"], resources: []),
                module("C", []), module("D", ["A"]),
                """)
        #expect(modules["A"] == ["B", "log"] && modules["C"] == [])
        #expect(Self.closure(of: ["A"], in: modules) == ["A", "B", "C", "log"])
        let text = "import A\n@testable import B\npackage import C\nimport struct D.E\n// import F\nlet g = 1\n"
        #expect(Self.imports(in: text) == ["A", "B", "C", "D"])
    }
}
