import Foundation
import Testing

/// The table of wanted differences in docs/parity.md equals the list in the code.
@Suite("docs/parity.md")
struct ParityDocumentTests {
    @Test("The table has exactly the wanted differences")
    func table() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/parity.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| *") }.compactMap { $0.split(separator: "*").dropFirst().first }
        #expect(rows.map(String.init).sorted() == WantedDifference.allCases.map(\.rawValue).sorted())
    }
}
