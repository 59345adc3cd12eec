import Foundation
import Testing

/// Comments cite pages of the documentation and their headings as the source of a fact. The cited pages and headings have to exist.
@Suite("Citations of the documentation")
struct CitationTests {
    /// A page that a line cites, and the heading in it.
    private struct Citation: Equatable {
        /// From 1.
        let line: Int
        let page: String

        /// `nil` if the whole page is cited.
        let anchor: String?
    }

    /// Consecutive lines of comment.
    private struct Remark {
        /// The first line, from 1.
        let line: Int
        var text: String
    }

    /// Documents that are not in the repository, and must not be cited.
    private static let strangers = ["protocol reference", "design.md"]

    private static let files = ["Sources", "Tests"].flatMap(SourceFile.all)

    // MARK: Tests

    @Test("Each page and heading that a Swift file cites exists")
    func citations() {
        var pages: [String: Set<String>] = [:]
        var count = 0
        for file in Self.files {
            for citation in Self.citations(in: file.text) {
                count += 1
                let place = "\(file.path):\(citation.line)"
                guard let anchors = pages[citation.page] ?? Self.anchors(ofPage: citation.page) else {
                    Issue.record("\(place): there is no page \(citation.page)")
                    continue
                }
                pages[citation.page] = anchors
                if let anchor = citation.anchor, !anchors.contains(anchor) {
                    Issue.record("\(place): \(citation.page) has no heading with the anchor #\(anchor)")
                }
            }
        }
        #expect(count > 80)
    }

    @Test("No comment cites a document that is not in the repository")
    func unknownDocuments() {
        for file in Self.files {
            for comment in Self.comments(in: file.text) {
                let text = comment.text.lowercased()
                for name in Self.strangers where text.contains(name) {
                    Issue.record("\(file.path):\(comment.line): \"\(name)\" is not in the repository; cite a page under docs/protocol")
                }
            }
        }
    }

    @Test(
        "A heading has GitHub's anchor",
        arguments: [
            ("## Delta format", "delta-format"), ("### `_bulk_docs`", "_bulk_docs"), ("# PouchDB's own tests", "pouchdbs-own-tests"),
            ("## 3. `dual`: both servers", "3-dual-both-servers"), ("#### proposeChanges", "proposechanges"),
        ])
    func anchor(heading: String, anchor: String) {
        #expect(Self.anchors(in: heading) == [anchor])
    }

    @Test("A repeated heading has a number in its anchor, and code has no headings")
    func repeatedHeadings() {
        #expect(Self.anchors(in: "# A\ntext\n```sh\n# b\n```\n## A\n#c\n") == ["a", "a-1"])
    }

    @Test("Citations are found in brackets, before a full stop, and beside each other")
    func foundCitations() {
        let text = "\n/// As LiteCore does (docs/protocol/modern-2x.md#deltas, docs/protocol/model.md#fence).\n// See `docs/parity.md`."
        #expect(
            Self.citations(in: text) == [
                Citation(line: 2, page: "docs/protocol/modern-2x.md", anchor: "deltas"),
                Citation(line: 2, page: "docs/protocol/model.md", anchor: "fence"),
                Citation(line: 3, page: "docs/parity.md", anchor: nil),
            ])
    }

    @Test("Comments are found over several lines and behind code, and not in string literals")
    func foundComments() {
        let text = "/// One\n/// two.\nlet a = \"// three\"\nlet b = 1  // four\n"
        #expect(Self.comments(in: text).map(\.text) == ["One two.", " four"])
    }

    // MARK: Reading

    /// The citations in a text, in order.
    private static func citations(in text: String) -> [Citation] {
        var citations: [Citation] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where line.contains("docs/") {
            for match in line.matches(of: /docs\/[\w\/.\-]+?\.md(?:#([\w\-]+))?/) {
                let page = match.output.0.prefix { $0 != "#" }
                citations.append(Citation(line: index + 1, page: String(page), anchor: match.output.1.map { String($0) }))
            }
        }
        return citations
    }

    /// The comments of a Swift file. Consecutive comment lines are one comment.
    private static func comments(in text: String) -> [Remark] {
        var comments: [Remark] = []
        var isOpen = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("//") else {
                isOpen = false
                if let behind = SourceFile.parts(of: line).comment { comments.append(Remark(line: index + 1, text: behind)) }
                continue
            }
            let words = trimmed.drop { $0 == "/" || $0 == " " }
            if isOpen, let last = comments.indices.last {
                comments[last].text += " \(words)"
            } else {
                comments.append(Remark(line: index + 1, text: String(words)))
            }
            isOpen = true
        }
        return comments
    }

    /// The anchors of a page's headings; `nil` if there is no such page.
    private static func anchors(ofPage page: String) -> Set<String>? {
        guard let text = try? String(contentsOf: SourceFile.root.appendingPathComponent(page), encoding: .utf8) else { return nil }
        return anchors(in: text)
    }

    /// The anchors of all headings. A repeated one has a number at its end.
    private static func anchors(in text: String) -> Set<String> {
        var anchors: Set<String> = []
        var uses: [String: Int] = [:]
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                continue
            }
            let marks = line.prefix { $0 == "#" }
            let title = line.dropFirst(marks.count)
            guard !isCode, 1...6 ~= marks.count, title.hasPrefix(" ") else { continue }
            let name = anchorName(of: title)
            let earlier = uses[name, default: 0]
            uses[name] = earlier + 1
            anchors.insert(earlier == 0 ? name : "\(name)-\(earlier)")
        }
        return anchors
    }

    /// GitHub's rule: small letters, no punctuation, hyphens for blanks.
    private static func anchorName(of title: Substring) -> String {
        var name = ""
        for character in title.trimmingCharacters(in: .whitespaces).lowercased() {
            if character == " " {
                name.append("-")
            } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
                name.append(character)
            }
        }
        return name
    }
}
