import Foundation
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Configurations in the documentation")
struct DocumentationTests {
    /// The YAML blocks in the documentation, with their places.
    private static let blocks: [(place: String, text: String)] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let docs = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("docs").path)) ?? []
        let files = ["README.md", "samples/shop/README.md"] + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        return files.flatMap { file in
            blocks(in: (try? String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)) ?? "").map { ("\(file):\($0)", $1) }
        }
    }()

    private static func blocks(in text: String) -> [(line: Int, text: String)] {
        var blocks: [(line: Int, text: String)] = []
        var open: (line: Int, indent: Int, lines: [Substring])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " }
            if let block = open {
                if trimmed.hasPrefix("```") {
                    blocks.append((block.line, block.lines.joined(separator: "\n") + "\n"))
                    open = nil
                } else {
                    open?.lines.append(line.dropFirst(min(block.indent, line.count - trimmed.count)))
                }
            } else if trimmed.hasPrefix("```yaml") {
                open = (index + 2, line.count - trimmed.count, [])
            }
        }
        return blocks
    }

    @Test("The documentation has configurations")
    func some() {
        #expect(Self.blocks.count >= 4)
    }

    @Test(
        "`config check` accepts each: a whole file, a file of routes, or a part of a database's section", arguments: blocks.indices)
    func valid(index: Int) async throws {
        let block = Self.blocks[index]
        let variables = block.text.matches(of: /\$\{(\w+)\}/).map { (String($0.1), "x") }
        let environment = Dictionary(variables, uniquingKeysWith: { first, _ in first })
        let folder = try TemporaryFolder()
        do {
            let file = try folder.write(block.text, to: "block.yaml")
            if let plan = await ConfigurationFile.checkRoutesAlone(file, environment: environment) {
                _ = try plan.get()
            } else if block.text.contains("databases:") {
                // The files that an example names do not exist here.
                let mistakes = await ConfigurationFile.check(file, environment: environment).findings.filter {
                    $0.severity == .error && $0.code != .badFile
                }
                for mistake in mistakes { Issue.record("\(block.place): \(mistake)") }
            } else {
                try await ConfigurationScripts.validate(try shop(block.text, environment: environment))
            }
        } catch {
            Issue.record("\(block.place): \(error)")
        }
    }
}
