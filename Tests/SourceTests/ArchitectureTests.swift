import Foundation
import Testing

/// New contributors read the map of the code first. Its paths have to exist.
@Suite("The map of the architecture")
struct ArchitectureTests {
    /// A path that a page names as `Module/Folder/File`, with or without `.swift`.
    private struct Path: Hashable {
        let page: String
        let text: String
    }

    private static let modules = Set(
        (try? FileManager.default.contentsOfDirectory(atPath: SourceFile.root.appendingPathComponent("Sources").path)) ?? [])

    private static func paths(in page: String) throws -> [Path] {
        let text = try String(contentsOf: SourceFile.root.appendingPathComponent(page), encoding: .utf8)
        return text.matches(of: /`([A-Za-z0-9+_\/.]+)`/).map(\.output.1).filter { name in
            name.contains("/") && modules.contains(String(name.prefix { $0 != "/" }))
        }.map { Path(page: page, text: String($0)) }
    }

    @Test(
        "Each path under Sources that the architecture and the glossary name exists",
        arguments: ["docs/architecture.md", "docs/glossary.md"])
    func paths(page: String) throws {
        let paths = try Self.paths(in: page)
        if page == "docs/architecture.md" { #expect(paths.count > 40) }
        for path in paths {
            let file = SourceFile.root.appendingPathComponent("Sources/" + path.text).path
            let isThere = FileManager.default.fileExists(atPath: file) || FileManager.default.fileExists(atPath: file + ".swift")
            if !isThere { Issue.record("\(path.page) names \(path.text), which is not under Sources") }
        }
    }

    @Test("The layers of the map name each module of the manifest")
    func modules() throws {
        let map = try String(contentsOf: SourceFile.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
        for module in Self.modules where !module.hasPrefix("C") || ["Compression", "Coordination", "Cutover"].contains(module) {
            #expect(map.contains(module), "docs/architecture.md does not name \(module)")
        }
    }
}
