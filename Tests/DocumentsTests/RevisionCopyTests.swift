import Documents
import Testing

@Suite("Copies in a revision tree")
struct RevisionCopyTests {
    private func link(_ parent: String, to other: String) throws -> RevisionID {
        try RevisionDigest.link(try revision(parent), to: try revision(other))
    }

    @Test("The ID of a link depends on both revisions, and is a child of the first")
    func links() throws {
        let one = try link("2-bb", to: "3-cc")
        #expect(one.generation == 3 && one.isNative)
        #expect(try one == link("2-bb", to: "3-cc"))
        #expect(try Set([one, link("2-bb", to: "3-cd"), link("2-ba", to: "3-cc")]).count == 3)
    }

    /// 2-bb was copied as 3-ee onto the branch of 2-cc, and that as 4-dd onto itself.
    private func tree() throws -> RevisionTree {
        var tree = RevisionTree()
        let step = try link("3-ee", to: "3-ee")
        for (history, isDeleted) in [
            (try revisions("3-ee", "2-cc", "1-aa"), false), (try [link("2-bb", to: "3-ee"), revision("2-bb"), revision("1-aa")], true),
            (try [revision("5-dd"), step, revision("3-ee")], false), (try revisions("3-ff", "2-ff", "1-aa"), true),
        ] {
            try tree.merge(history, isDeleted: isDeleted)
        }
        return tree
    }

    @Test("The tree identifies copies by tombstones that name them, and by links that name the original")
    func originals() throws {
        let tree = try tree()
        #expect(try tree.originals(of: revision("3-ee")) == [revision("2-bb")])
        #expect(try tree.originals(of: revision("5-dd")) == [revision("3-ee"), revision("2-bb")])
        for other in ["2-bb", "2-cc", "2-ff", "1-aa", "9-99"] { #expect(try tree.originals(of: revision(other)).isEmpty) }
        #expect(try RevisionTree(encoded: tree.encoded()).originals(of: revision("5-dd")).count == 2)
    }

    @Test("An edit of the original replaces a winning copy; a tombstone, and an edit of the copy's parent, do not")
    func overtaken() throws {
        for (history, isDeleted, isEdit) in [
            (["3-aa", "2-bb", "1-aa"], false, true), (["3-aa", "2-bb", "1-aa"], true, false), (["3-aa", "2-cc", "1-aa"], false, false),
            (["2-aa", "1-aa"], false, false),
        ] {
            var tree = try tree()
            let history = try history.map { try revision($0) }
            try tree.merge(history, isDeleted: isDeleted)
            #expect(try tree.overtaken(by: history[0]) == (isEdit ? revision("5-dd") : nil))
        }
        #expect(try tree().overtaken(by: revision("5-dd")) == nil)
    }

    @Test("An edit of an original is an edit of the copy, and an edit beside it is not")
    func builds() throws {
        let tree = try tree()
        #expect(try tree.builds(revisions("3-99", "2-bb", "1-aa"), on: revision("3-ee")))
        #expect(try tree.builds(revisions("3-99", "2-bb", "1-aa"), on: revision("5-dd")))
        #expect(try tree.builds(revisions("6-99", "5-dd"), on: revision("5-dd")))
        #expect(try !tree.builds(revisions("2-99", "1-aa"), on: revision("5-dd")))
        #expect(try !tree.builds(revisions("3-99", "2-cc", "1-aa"), on: revision("3-ee")))
        #expect(try !tree.builds(revisions("3-99", "2-bb", "1-aa"), on: revision("2-cc")))
    }

    @Test("A branch continues from its original where it is edited or deleted, and not where it was closed for the copy")
    func goesOn() throws {
        var tree = try tree()
        let closing = try link("2-bb", to: "3-ee")
        #expect(try !tree.goesOn(closing, from: revision("3-ee")) && !tree.goesOn(closing, from: revision("5-dd")))
        try tree.merge(revisions("3-99", "2-bb"), isDeleted: true)
        #expect(try tree.goesOn(revision("3-99"), from: revision("3-ee")) && tree.goesOn(revision("3-99"), from: revision("5-dd")))
        #expect(try tree.goesOn(revision("5-dd"), from: revision("2-bb")) == false)
        #expect(try tree.goesOn(revision("5-dd"), from: revision("3-ee")) && !tree.goesOn(revision("3-ff"), from: revision("3-ee")))
    }

    @Test("A copy includes the original and its ancestors")
    func takesIn() throws {
        let tree = try tree()
        for earlier in ["5-dd", "3-ee", "2-cc", "2-bb", "1-aa"] { #expect(try tree.takesIn(revision(earlier), by: revision("5-dd"))) }
        #expect(try !tree.takesIn(revision("2-ff"), by: revision("5-dd")))
        #expect(try !tree.takesIn(revision("2-bb"), by: revision("2-cc")))
    }
}
