import Documents
import Testing

@Suite("Versions and their sources")
struct VersionTests {
    /// Recorded: a 4.1.0 client's UUID, and the source ID of its versions.
    static let uuid: [UInt8] = [
        0x04, 0xe0, 0x34, 0xd9, 0x22, 0x9a, 0x49, 0x80, 0xb4, 0x77, 0xfb, 0xce, 0x11, 0x6c, 0x34, 0x13,
    ]

    @Test("A source ID is the database's UUID in base64 without padding")
    func sourceID() throws {
        let source = try #require(SourceID(Self.uuid))
        #expect(source.description == "BOA02SKaSYC0d/vOEWw0Ew")
        #expect(SourceID(utf8: "BOA02SKaSYC0d/vOEWw0Ew".utf8) == source)
        #expect(SourceID.revisionTrees.description == "Revision+Tree+Encoding")
        #expect(SourceID(Self.uuid.dropLast()) == nil && SourceID(Self.uuid + [0]) == nil)
    }

    @Test(
        "Malformed source IDs are refused",
        arguments: [
            "", "BOA02SKaSYC0d/vOEWw0E", "BOA02SKaSYC0d/vOEWw0Ew=", "BOA02SKaSYC0d/vOEWw0Ex", "BOA02SKaSYC0d_vOEWw0Ew",
            "BOA02SKaSYC0d vOEWw0Ew",
        ])
    func noSource(text: String) {
        #expect(SourceID(utf8: text.utf8) == nil)
    }

    @Test("A version is read and written", arguments: [UInt64(1), 0xf, 0x18e9_f0cc_6880_0001, .max])
    func versions(time: UInt64) throws {
        let source = try #require(SourceID(Self.uuid))
        let version = Version(time: time, source: source)
        #expect(version.description == String(time, radix: 16) + "@BOA02SKaSYC0d/vOEWw0Ew")
        #expect(Version(version.description) == version)
    }

    @Test(
        "Malformed versions are refused",
        arguments: [
            "", "@", "1", "@BOA02SKaSYC0d/vOEWw0Ew", "0@BOA02SKaSYC0d/vOEWw0Ew", "1F@BOA02SKaSYC0d/vOEWw0Ew", "-1@BOA02SKaSYC0d/vOEWw0Ew",
            " 1@BOA02SKaSYC0d/vOEWw0Ew", "1@BOA02SKaSYC0d/vOEWw0Ew ", "1@1@BOA02SKaSYC0d/vOEWw0Ew", "1@*", "1-abcd",
            "10000000000000000@BOA02SKaSYC0d/vOEWw0Ew", "1@BOA02SKaSYC0d/vOEWw0Ew,2@BOA02SKaSYC0d/vOEWw0Ew",
        ])
    func noVersion(text: String) {
        #expect(Version(text) == nil)
    }

    /// Recorded: `1-07423c2e..` is `107423c2ef4@Revision+Tree+Encoding`, and `29cb4ec5407@..` a client's name for a second generation.
    @Test("A tree ID has LiteCore's version")
    func standIn() throws {
        let revision = try #require(RevisionID("1-07423c2ef4aabbccddeeff00112233445566778899"))
        #expect(Version(standingFor: revision)?.description == "107423c2ef4@Revision+Tree+Encoding")
        #expect(try Version(standingFor: #require(RevisionID("16777216-07423c2ef4aabb"))) == nil)
        #expect(try Version(standingFor: #require(RevisionID("1-xyz"))) == nil)
        #expect(try Version(standingFor: #require(RevisionID("1-ab"))) == nil)
    }

    @Test("A 4.x client names revisions by versions or tree IDs")
    func names() throws {
        #expect(try RevisionName("2-ab") == .tree(#require(RevisionID("2-ab"))))
        #expect(try RevisionName("2@BOA02SKaSYC0d/vOEWw0Ew") == .version(#require(Version("2@BOA02SKaSYC0d/vOEWw0Ew"))))
        #expect(RevisionName("") == nil && RevisionName("2@x") == nil && RevisionName("0-ab") == nil)
    }
}
