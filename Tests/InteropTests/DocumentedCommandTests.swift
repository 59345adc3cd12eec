import ArgumentParser
import Foundation
import Testing

@testable import dualgauge

@Suite("Commands in the documentation")
struct DocumentedCommandTests {
    /// The lines in shell blocks that call the program, with their places.
    private static let commands: [(place: String, arguments: [String])] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let docs = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("docs").path)) ?? []
        let files = ["README.md", "samples/shop/README.md"] + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        return files.flatMap { file in
            commands(in: (try? String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)) ?? "").map { ("\(file):\($0)", $1) }
        }
    }()

    /// The arguments of each call of the program in shell blocks, with its line.
    static func commands(in text: String) -> [(line: Int, arguments: [String])] {
        var commands: [(line: Int, arguments: [String])] = []
        var isOpen = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " }
            if trimmed.hasPrefix("```") {
                isOpen = !isOpen && (trimmed.hasPrefix("```sh") || trimmed.hasPrefix("```console"))
            } else if isOpen {
                let words = words(of: String(trimmed))
                guard let program = words.first, program == "dualgauge" || program.hasSuffix("/dualgauge") else { continue }
                commands.append((index + 1, Array(words.dropFirst())))
            }
        }
        return commands
    }

    /// The words of a shell line, without quotes, up to a comment or to another program.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else if "#|<>&;".contains(character), word == nil {
                return words
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    @Test("The documentation has commands")
    func some() {
        #expect(Self.commands.count >= 8)
    }

    @Test("The program accepts each documented command", arguments: commands.indices)
    func understood(index: Int) {
        let command = Self.commands[index]
        do {
            _ = try Dualgauge.parseAsRoot(command.arguments)
        } catch {
            Issue.record("\(command.place): \(Dualgauge.fullMessage(for: error))")
        }
    }
}
