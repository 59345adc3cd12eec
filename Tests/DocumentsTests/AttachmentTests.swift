import Documents
import TestSupport
import Testing

@Suite("Attachments")
struct AttachmentTests {
    private func parse(_ json: String) throws -> AttachmentSet {
        try AttachmentSet(bytes(json))
    }

    private func render(_ set: AttachmentSet, _ spelling: AttachmentSet.Spelling) -> String {
        var json: [UInt8] = []
        set.append(to: &json) { _ in spelling }
        return text(json)
    }

    @Test("Recorded SHA-1 and MD5 digests are read and written")
    func digests() throws {
        #expect(AttachmentDigest.sha1(of: bytes("hello world")).description == "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=")
        #expect(AttachmentDigest.sha1(of: bytes("hello attachment")).description == "sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc=")
        #expect(AttachmentDigest.md5(of: bytes("hello world")).description == "md5-XrY7u+Ae7tCTyyK7j1rNww==")
        var hasher = AttachmentHasher(.sha1)
        for byte in "hello world".utf8 { hasher.update([byte]) }
        let digest = try #require(AttachmentDigest("sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="))
        #expect(hasher.finish() == digest)
        try digest.verify(bytes("hello world"))
        #expect(code { try digest.verify(bytes("hello")) } == .digestMismatch)
        for bad in [
            "", "sha1", "sha1-", "sha1-Kq5s", "md5-Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha256-AAAA", "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0",
        ] {
            #expect(AttachmentDigest(bad) == nil)
        }
    }

    @Test("Base64 is decoded strictly")
    func base64() throws {
        var generator = SeededGenerator(seed: 1)
        for length in 0..<100 {
            let data = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(try Base64.decode(Base64.encode(data).utf8) == data)
        }
        #expect(Base64.encode(bytes("hello inline")) == "aGVsbG8gaW5saW5l")
        for bad in [
            "a", "ab", "abc", "abc=def=", "====", "a===", "ab=c", "ab*=", "ab==ab==", "aGVs\nbG8", "aGVsbG9=", "YR==", "YWF=", "é===",
        ] {
            #expect(code { _ = try Base64.decode(bad.utf8) } == .badBase64, "\(bad)")
        }
    }

    @Test("Entries keep their members, unknown ones included")
    func entries() throws {
        let set = try parse(
            #"{"é.png":{"content_type":"image/png","digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":11,"revpos":2,"stub":true,"x\u0041":[ 1.0 ],"y":null}}"#
        )
        let entry = try #require(set["é.png"])
        #expect(entry.contentType == "image/png")
        #expect(entry.length == 11)
        #expect(entry.revpos == 2)
        #expect(entry.source == .stub)
        #expect(text(entry.otherMembers) == #""x\u0041":[ 1.0 ],"y":null"#)
        let json = render(set, .follows)
        #expect(
            json
                == #"{"é.png":{"content_type":"image/png","digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","follows":true,"length":11,"revpos":2,"x\u0041":[ 1.0 ],"y":null}}"#
        )
        #expect(try AttachmentSet(set.stubs()) == set)
        #expect(render(AttachmentSet(), .stub) == "{}")
        #expect(render(set, .data(bytes("hello world"))).contains(#""data":"aGVsbG8gd29ybGQ=""#))
    }

    @Test("Inline data is decoded after its JSON escapes, and compared with its digest and length")
    func inlineData() throws {
        let set = try parse(
            #"{"a":{"data":"\/\/8="},"b":{"data":"aGVsbG8gd29ybGQ=","digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":11}}"#)
        #expect(try set.entries[0].inlineData() == [0xff, 0xff])
        #expect(try set.entries[1].inlineData() == bytes("hello world"))
        #expect(code { _ = try parse(#"{"a":{"data":"%%"}}"#).entries[0].inlineData() } == .badBase64)
        #expect(code { _ = try parse(#"{"a":{"data":"aGVs","length":4}}"#).entries[0].inlineData() } == .lengthMismatch)
        #expect(
            code { _ = try parse(#"{"a":{"data":"aGVs","digest":"md5-XrY7u+Ae7tCTyyK7j1rNww=="}}"#).entries[0].inlineData() }
                == .digestMismatch)
        let stored = set.entries[0].stored(digest: .sha1(of: [0xff, 0xff]), length: 2)
        #expect(stored.source == .stub)
        #expect(stored.length == 2)
    }

    @Test("With an encoding, the stored length is the encoded one")
    func encodings() throws {
        let set = try parse(#"{"a":{"follows":true,"encoding":"gzip","encoded_length":5,"length":100}}"#)
        #expect(set.entries[0].storedLength == 5)
        #expect(code { try set.entries[0].verify(length: 100) } == .lengthMismatch)
        #expect(code { try set.entries[0].verify(length: 5) } == nil)
        let stored = set.entries[0].stored(digest: .sha1(of: []), length: 5)
        #expect(stored.length == 100)
        #expect(stored.encodedLength == 5)
    }

    @Test(
        "Malformed attachments have their error codes",
        arguments: [
            ("[]", DocumentError.Code.badAttachment), (#"{"a":1}"#, .badAttachment), (#"{"a":{}}"#, .badAttachment),
            (#"{"":{"stub":true}}"#, .badAttachment),
            (#"{"a":{"digest":"x","stub":true}}"#, .missingAttachment), (#"{"a":{"stub":true,"digest":7}}"#, .badAttachment),
            (#"{"a":{"digest":"x","data":"aGk="}}"#, .badAttachment), (#"{"a":{"follows":true,"digest":"x"}}"#, .badAttachment),
            (#"{"a":{"stub":true,"length":-1}}"#, .badAttachment), (#"{"a":{"stub":true,"revpos":"1"}}"#, .badAttachment),
            (#"{"a":{"data":7}}"#, .badAttachment), (#"{"a":{"stub":true},"a":{"stub":true}}"#, .duplicateKey), (#"{"a":"#, .badJSON),
        ])
    func faults(json: String, expected: DocumentError.Code) {
        #expect(code { _ = try parse(json) } == expected)
    }

    @Test("Count and names have limits")
    func limits() {
        let json = bytes(#"{"a":{"stub":true},"b":{"stub":true}}"#)
        #expect(code { _ = try AttachmentSet(json, limits: AttachmentLimits(maximumCount: 1)) } == .tooLarge)
        #expect(
            code { _ = try AttachmentSet(bytes(#"{"ab":{"stub":true}}"#), limits: AttachmentLimits(maximumNameLength: 1)) }
                == .badAttachment)
    }

    @Test("Stubs get their missing members from the parent, and a missing revpos")
    func completion() throws {
        let digest = "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="
        let parent = try parse(#"{"a":{"stub":true,"digest":"\#(digest)","length":11,"revpos":1}}"#)
        let same = try parse(#"{"a":{"stub":true,"revpos":3}}"#)
        #expect(try same.completed(generation: 3, parent: parent, requiresRevpos: true) == parent)
        #expect(code { _ = try same.completed(generation: 3, parent: nil, requiresRevpos: true) } == .badAttachment)
        let modern = try parse(#"{"a":{"stub":true,"digest":"\#(digest)"},"b":{"stub":true,"digest":"\#(digest)"}}"#)
        #expect(try modern.completed(generation: 4, parent: parent, requiresRevpos: false).entries.map(\.revpos) == [1, 4])
        #expect(code { _ = try modern.completed(generation: 4, parent: parent, requiresRevpos: true) } == .badAttachment)
        let changed = try parse(#"{"a":{"stub":true,"digest":"md5-XrY7u+Ae7tCTyyK7j1rNww==","revpos":9},"c":{"data":"","revpos":2}}"#)
        #expect(try changed.completed(generation: 3, parent: parent, requiresRevpos: true).entries.map(\.revpos) == [3, 2])
    }

    @Test("Names that differ only in Unicode normalisation are two names")
    func equivalentNames() throws {
        let (first, second) = (AttachmentDigest.sha1(of: bytes("1")), AttachmentDigest.sha1(of: bytes("2")))
        let parent = try parse(
            #"{"caf\u00e9":{"stub":true,"digest":"\#(first)","revpos":1},"cafe\u0301":{"stub":true,"digest":"\#(second)","revpos":1}}"#)
        #expect(parent["caf\u{e9}"]?.digest == first)
        #expect(parent["cafe\u{301}"]?.digest == second)
        let stubs = try parse(#"{"cafe\u0301":{"stub":true},"caf\u00e9":{"stub":true}}"#)
        let completed = try stubs.completed(generation: 2, parent: parent, requiresRevpos: false)
        #expect(completed.entries.map(\.digest) == [second, first])
    }

    @Test("The bodies to send are those set after the reader's revision")
    func missing() throws {
        let set = try parse(#"{"a":{"stub":true,"revpos":1},"b":{"stub":true,"revpos":3},"c":{"stub":true}}"#)
        let history = try revisions("3-c", "2-b", "1-a")
        func names(_ since: [RevisionID]) -> [String] {
            set.missing(since: AttachmentSet.generation(since: since, history: history)).map(\.name)
        }
        #expect(names([]) == ["a", "b", "c"])
        #expect(try names(revisions("2-x")) == ["a", "b", "c"])
        #expect(try names(revisions("1-a", "2-b")) == ["b", "c"])
        #expect(try names(revisions("3-c")) == ["c"])
    }
}
