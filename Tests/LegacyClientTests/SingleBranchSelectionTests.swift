import Documents
import Testing

@testable import LegacyClient

@Suite("Selection of revisions for a server without branches")
struct SingleBranchSelectionTests {
    /// A tree of histories, each from its leaf on; a leaf with `!` is a tombstone.
    private func tree(_ histories: String...) throws -> RevisionTree {
        var tree = RevisionTree()
        for history in histories {
            let isDeleted = history.hasPrefix("!")
            let ids = try history.drop { $0 == "!" }.split(separator: " ").map { try #require(RevisionID(String($0))) }
            _ = try tree.merge(ids, isDeleted: isDeleted)
        }
        return tree
    }

    /// The offered, withheld and carried revisions, for a server that has the known revisions.
    private func offer(_ tree: RevisionTree, _ known: String...) throws -> String {
        let known = Set(known.compactMap { RevisionID($0) })
        let offer = SingleBranchSelection(tree, missing: Set(SingleBranchSelection.asked(of: tree)).subtracting(known))
        let text = { (ids: Set<RevisionID>) in ids.sorted().map(\.text).joined(separator: " ") }
        return "\(text(offer.offered)) | \(text(offer.withheld)) | \(offer.serverLeaf?.text ?? "-")"
    }

    @Test("A single branch is offered as it is")
    func line() throws {
        #expect(try offer(tree("2-bb 1-aa")) == "2-bb |  | -")
        #expect(try offer(tree("2-bb 1-aa"), "1-aa") == "2-bb |  | -")
        #expect(try offer(tree("2-bb 1-aa"), "1-aa", "2-bb") == " |  | -")
        #expect(try offer(tree("!2-bb 1-aa"), "1-aa") == "2-bb |  | -")
    }

    @Test("A winning branch that the server lacks is carried onto the server's branch, and a losing one is left out")
    func branches() throws {
        let conflict = try tree("2-bb 1-aa", "2-cc 1-aa")
        #expect(try offer(conflict, "1-aa", "2-bb") == " | 2-cc | 2-bb")
        #expect(try offer(conflict, "1-aa", "2-cc") == " | 2-bb | -")
        #expect(try offer(conflict, "1-aa") == "2-cc | 2-bb | -")
        #expect(try offer(conflict) == "2-cc | 2-bb | -")
        #expect(try offer(conflict, "1-aa", "2-bb", "2-cc") == " |  | -")
    }

    @Test("A tombstone closes a branch that the server has, and is left out otherwise")
    func tombstones() throws {
        let closed = try tree("2-cc 1-aa", "!3-dd 2-bb 1-aa")
        #expect(try offer(closed, "1-aa", "2-cc") == " | 3-dd | -")
        #expect(try offer(closed, "1-aa", "2-bb", "2-cc") == "3-dd |  | -")
        // The server's only branch was closed here: the winner is carried onto the tombstone, which is not sent before.
        #expect(try offer(closed, "1-aa", "2-bb") == " | 2-cc 3-dd | 3-dd")
        #expect(try offer(closed, "1-aa", "2-bb", "3-dd") == " | 2-cc | 3-dd")
    }

    @Test("A carried copy is a child of the server's revision, and its original branch stays here")
    func carried() throws {
        let carried = try tree("3-ee 2-bb 1-aa", "!3-dd 2-cc 1-aa")
        #expect(try offer(carried, "1-aa", "2-bb") == "3-ee | 3-dd | -")
        #expect(try offer(carried, "1-aa", "2-bb", "3-ee") == " | 3-dd | -")
    }

    @Test("Children of a copied revision replace the copy")
    func overtaken() throws {
        var tree = try tree("3-cc 2-cc 1-aa")
        let (original, copy) = (try #require(RevisionID("2-bb")), try #require(RevisionID("3-cc")))
        let end = try RevisionDigest.link(original, to: copy)
        _ = try tree.merge([end, original, try #require(RevisionID("1-aa"))], isDeleted: true)
        let step = try #require(RevisionID("2-cc"))
        #expect(SingleBranchSelection(tree, missing: [copy, step, end]).serverLeaf == end)
        let edit = try #require(RevisionID("3-bb"))
        _ = try tree.merge([edit, original], isDeleted: false)
        let offer = SingleBranchSelection(tree, missing: [copy, step, end])
        #expect(offer.superseded == copy && offer.serverLeaf == nil && offer.offered.isEmpty && offer.withheld == [copy, end])
        // A deletion does so as well, and is sent.
        let deletion = try #require(RevisionID("4-bb"))
        _ = try tree.merge([deletion, edit], isDeleted: true)
        let last = SingleBranchSelection(tree, missing: [copy, step, end, deletion])
        #expect(last.superseded == copy && last.offered == [deletion])
    }

    @Test("Of two branches that the server has, only its winner is continued; the other one accepts a tombstone")
    func both() throws {
        let both = try tree("3-cc 2-cc 1-aa", "2-bb 1-aa")
        #expect(try offer(both, "1-aa", "2-cc", "2-bb") == "3-cc |  | -")
        // The branch is closed on the server, so the other one wins there.
        let reopened = try tree("4-cc 3-cc 2-cc 1-aa", "2-bb 1-aa")
        var tree = RevisionTree()
        for (history, isDeleted) in [(["3-cc", "2-cc", "1-aa"], true), (["2-bb", "1-aa"], false)] {
            _ = try tree.merge(history.map { try #require(RevisionID($0)) }, isDeleted: isDeleted)
        }
        try tree.insert(child: try #require(RevisionID("4-cc")), of: RevisionID("3-cc"), isDeleted: false)
        #expect(try offer(tree, "1-aa", "2-cc", "3-cc", "2-bb") == " | 4-cc | 2-bb")
        #expect(try offer(reopened, "1-aa", "2-cc", "3-cc", "2-bb") == "4-cc |  | -")
    }

    @Test("A document that is deleted in all branches is not carried")
    func deleted() throws {
        let deleted = try tree("!2-bb 1-aa", "!2-cc 1-aa")
        #expect(try offer(deleted, "1-aa", "2-bb") == " | 2-cc | -")
    }

    @Test(
        "Of several branches that continue the server's revision, the server's branch is the winning or the carried one"
    )
    func forked() throws {
        // The server is at 2-bb, where two branches were closed here; another branch wins.
        let closed = try tree("9-ee 8-ee 1-aa", "!4-dd 3-dd 2-bb 1-aa", "!3-cc 2-bb 1-aa")
        #expect(try offer(closed, "1-aa", "2-bb") == " | 3-cc 4-dd 9-ee | 4-dd")
        #expect(try offer(closed, "2-bb") == " | 3-cc 4-dd 9-ee | 4-dd")
        #expect(try offer(closed, "1-aa") == "9-ee | 3-cc 4-dd | -")
        let won = try tree("4-dd 3-dd 2-bb 1-aa", "!3-cc 2-bb 1-aa", "!2-ee 1-aa")
        #expect(try offer(won, "1-aa", "2-bb") == "4-dd | 2-ee 3-cc | -")
        let deleted = try tree("!4-dd 3-dd 2-bb 1-aa", "!3-cc 2-bb 1-aa")
        #expect(try offer(deleted, "2-bb") == "4-dd | 3-cc | -")
    }

    @Test("The replicator asks for the newest and the oldest revisions of a long branch, and for the newest of a shared part")
    func long() throws {
        let history = (2...60).reversed().map { "\($0)-bb" } + ["1-aa"]
        let tree = try tree(history.joined(separator: " "), "2-cc 1-aa")
        let asked = SingleBranchSelection.asked(of: tree).map(\.text)
        #expect(asked.count == 22 && asked.contains("2-bb") && asked.contains("60-bb") && asked.contains("2-cc") && asked.contains("1-aa"))
        #expect(try offer(tree, "1-aa", "2-bb") == "60-bb | 2-cc | -")
    }
}
