import Documents
import TestSupport
import Testing

@Suite("Version vectors")
struct VersionVectorTests {
    private static let a = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let b = "BBBBBBBBBBBBBBBBBBBBBA"
    private static let c = "CCCCCCCCCCCCCCCCCCCCCA"

    /// `5a,3b;1c` stands for `5@AAA…,3@BBB…;1@CCC…`.
    static func spelled(_ text: String) -> String {
        text.replacing("a", with: "@" + a).replacing("b", with: "@" + b).replacing("c", with: "@" + c)
    }

    private func vector(_ text: String) throws -> VersionVector {
        try VersionVector(Self.spelled(text))
    }

    @Test("All forms are read, and written without spaces", arguments: ["5a", "5a;3b", "5a;3b,1c", "5a,3b;", "5a,4a,3b;", "5a,4a,3b;1c"])
    func forms(text: String) throws {
        #expect(try vector(text).description == Self.spelled(text))
        #expect(try vector(text.replacing(",", with: " , ").replacing(";", with: " ; ")).description == Self.spelled(text))
        #expect(try VersionVector(vector(text).description) == vector(text))
    }

    @Test(
        "Malformed vectors are refused",
        arguments: [
            "", ";", "5a;;", "5a;3b;1c", ";5a", "5a,", "5a;3b,", "5a;,3b", "x", "5a;1-ab", "5a,1-ab", "1-ab", "5a;5a", "5a;6a", "5a;3b,2b",
            "5a,3b;2b",
        ])
    func malformed(text: String) {
        #expect(throws: DocumentError.self) { try VersionVector(Self.spelled(text)) }
    }

    @Test("Properties of messages are read, with and without spaces")
    func histories() throws {
        func read(_ rev: String, _ history: String?) throws -> (String, [String]) {
            let found = try VersionHistory(rev: Self.spelled(rev), history: history.map(Self.spelled))
            return (found.vector.description, found.legacy.map(\.text))
        }
        #expect(try read("5a", nil) == (Self.spelled("5a"), []))
        #expect(try read("5a", "") == (Self.spelled("5a"), []))
        #expect(try read("5a", "3b, 1c") == (Self.spelled("5a;3b,1c"), []))
        #expect(try read("5a", "4a, 3b;") == (Self.spelled("5a,4a,3b;"), []))
        #expect(try read("5a", "4a,3b; 1c") == (Self.spelled("5a,4a,3b;1c"), []))
        #expect(try read("5a", "1-12") == (Self.spelled("5a"), ["1-12"]))
        #expect(try read("5a", "3b, 2-34, 1-12") == (Self.spelled("5a;3b"), ["2-34", "1-12"]))
        #expect(try read("5a", "3b;1-12") == (Self.spelled("5a,3b;"), ["1-12"]))
        // Sync Gateway 4.0.7's form, of a merge for which a bridge has named a tree ID.
        #expect(try read("5a", "4a,3b;,2-34,1-12") == (Self.spelled("5a,4a,3b;"), ["2-34", "1-12"]))
    }

    @Test(
        "Malformed properties are refused",
        arguments: ["3b,", ",", "4a,3b;,1c", "4a,3b;,", "1-12,3b", "1-12;3b", "3b;1c;", "3b;1-12,1c", "x", "5a", "6a"])
    func malformedHistories(history: String) {
        #expect(throws: DocumentError.self) { try VersionHistory(rev: Self.spelled("5a"), history: Self.spelled(history)) }
    }

    @Test("A revision's name has to be a single version", arguments: ["", "1-ab", "5a;3b", "5a,3b;"])
    func noName(rev: String) {
        #expect(throws: DocumentError.self) { try VersionHistory(rev: Self.spelled(rev), history: nil) }
    }

    @Test("A history is written as it is read, with tree IDs at its end")
    func writing() throws {
        let tail = [try #require(RevisionID("2-34")), try #require(RevisionID("1-12"))]
        for text in ["5a", "5a;3b,1c", "5a,4a,3b;", "5a,4a,3b;1c"] {
            let vector = try vector(text)
            #expect(try VersionHistory(rev: vector.current.description, history: vector.history()) == VersionHistory(vector: vector))
            #expect(
                try VersionHistory(rev: vector.current.description, history: vector.history(endingIn: tail))
                    == VersionHistory(vector: vector, legacy: tail))
        }
        #expect(try vector("5a").history() == nil)
        #expect(try vector("5a").history(endingIn: tail) == "2-34,1-12")
    }

    @Test("Too many versions and too long a text are refused")
    func limits() throws {
        func versions(_ count: Int) -> String {
            (0..<count).map { index in
                let number = [UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)]
                let source = SourceID([UInt8](repeating: 1, count: 13) + number)
                return "1@\(source?.description ?? "")"
            }.joined(separator: ",")
        }
        #expect(try VersionHistory(rev: Self.spelled("5a"), history: versions(999)).vector.previous.count == 999)
        #expect(throws: DocumentError.self) { try VersionHistory(rev: Self.spelled("5a"), history: versions(1_000)) }
        #expect(throws: DocumentError.self) { try VersionHistory(rev: Self.spelled("5a"), history: versions(100_000)) }
        #expect(throws: DocumentError.self) { try VersionVector(String(repeating: " ", count: 1 << 20)) }
        #expect(throws: DocumentError.self) { try VersionVector(Self.spelled("5a;") + versions(1_000)) }
        // A child of the longest vector omits the oldest version, and can be read again.
        let longest = try VersionVector(Self.spelled("5a;") + versions(999))
        let child = longest.child(Version(time: 9, source: try #require(SourceID(utf8: Self.b.utf8))))
        #expect(try VersionVector(child.description) == child && child.previous.count == 999)
        #expect(child.contains(longest.current))
    }

    @Test("Two vectors are equal, one follows the other, or they conflict")
    func order() throws {
        let cases: [(String, String, VersionOrder)] = [
            ("5a", "5a", .same), ("6a", "5a", .newer), ("5a;3b", "5a", .newer), ("5a;3b", "3b", .newer), ("5a;3b", "4b", .conflicting),
            ("5a", "3b", .conflicting), ("6b;5a", "5a;3b", .newer), ("6b", "5a;3b", .conflicting), ("9c,5a,3b;", "5a", .newer),
            ("9c,5a,3b;", "3b", .newer), ("9c,5a,3b;", "6a,4a,3b;", .conflicting), ("7a,5a,3b;", "5a", .newer), ("5a;3b", "3b;5a", .same),
        ]
        let reversed: [VersionOrder: VersionOrder] = [.same: .same, .newer: .older, .older: .newer, .conflicting: .conflicting]
        for (first, second, order) in cases {
            #expect(try vector(first).order(to: vector(second)) == order, "\(first) \(second)")
            #expect(try vector(second).order(to: vector(first)) == reversed[order], "\(second) \(first)")
        }
    }

    @Test("A child includes all versions, each source once, and its own not at all")
    func children() throws {
        func child(_ text: String, _ time: UInt64, _ source: String) throws -> String {
            try vector(text).child(Version(time: time, source: #require(SourceID(utf8: source.utf8)))).description
        }
        #expect(try child("5a", 6, Self.a) == Self.spelled("6a"))
        #expect(try child("5a", 2, Self.b) == Self.spelled("2b;5a"))
        #expect(try child("5a;3b", 6, Self.b) == Self.spelled("6b;5a"))
        #expect(try child("7a,5a,3b;1c", 9, Self.c) == Self.spelled("9c;7a,3b"))
    }

    @Test("A revision that follows more than its vector contains includes that")
    func covering() throws {
        func covering(_ text: String, _ other: String) throws -> String { try vector(text).covering(vector(other)).description }
        #expect(try covering("5a", "4a") == Self.spelled("5a"))
        #expect(try covering("5a", "3b") == Self.spelled("5a;3b"))
        #expect(try covering("5a;2b", "3b;1c") == Self.spelled("5a;3b,1c"))
        #expect(try covering("9a,5a,3b;", "1c") == Self.spelled("9a,5a,3b;1c"))
        #expect(try covering("9a,5a,3b;", "4b") == Self.spelled("9a;4b"))
    }

    @Test("A derived vector follows the vectors that it is derived from", arguments: 0..<20)
    func properties(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sources = try [Self.a, Self.b, Self.c].map { try #require(SourceID(utf8: $0.utf8)) }
        var vectors = [VersionVector(current: Version(time: 1, source: sources[0]))]
        for step in 2..<60 {
            let base = vectors[Int.random(in: vectors.indices, using: &generator)]
            let other = vectors[Int.random(in: vectors.indices, using: &generator)]
            var next = base.child(Version(time: UInt64(step), source: sources[Int.random(in: 0..<3, using: &generator)]))
            if generator.once(in: 2), !other.contains(next.current) { next = next.covering(other) }
            #expect(next.order(to: base) == .newer)
            #expect(try VersionVector(next.description) == next)
            #expect(Set((next.merged + next.previous).map(\.source)).count == next.merged.count + next.previous.count)
            vectors.append(next)
        }
    }
}
