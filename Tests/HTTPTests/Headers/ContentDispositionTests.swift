import HTTP
import Testing

@Suite("ContentDisposition")
struct ContentDispositionTests {
    @Test(
        "Each client's form of a filename is parsed",
        arguments: [
            // CBL iOS: quoted, escaped
            (#"attachment; filename="a \"b\" \\c.txt""#, #"a "b" \c.txt"#),
            // CBL Java: never quoted
            ("attachment; filename=big file.txt", "big file.txt"), ("attachment; filename=a;b.txt", "a;b.txt"),
            ("attachment; filename=a;b=c.txt", "a;b=c.txt"), ("attachment; filename=ünï.txt", "ünï.txt"),
            (#"attachment; filename=a"b.txt"#, #"a"b.txt"#), ("attachment; filename=a\\b.txt", "a\\b.txt"),
            // CBL .NET: encoded words, quoted or not
            ("attachment; filename=\"=?utf-8?B?w7xuw68udHh0?=\"", "ünï.txt"), ("attachment; filename==?utf-8?B?w7xuw68udHh0?=", "ünï.txt"),
            ("attachment; filename=\"=?UTF-8?q?=C3=BC_x?=\"", "ü x"), ("attachment; filename=\"=?iso-8859-1?Q?=FC?=\"", "ü"),
            ("attachment; filename=\"=?utf-8?B?w7w=?= =?utf-8?B?w7w=?=\"", "üü"),
            // CouchDB: quoted, raw
            (#"attachment; filename="a"b".txt""#, #"a"b".txt"#), (#"attachment; filename="a\""#, #"a\"#),
            ("attachment; filename=\"ü.txt\"", "ü.txt"), ("attachment; filename=\"a/b.txt\"", "a/b.txt"),
            // Others
            ("attachment; filename=\"x.txt\"; size=3", "x.txt"), ("attachment; filename=x.txt; size=3", "x.txt"),
            ("attachment; inline; filename=x.txt", "x.txt"), ("attachment; filename=x;name;y", "x;name;y"),
            ("attachment; filename=x.txt;", "x.txt"), ("ATTACHMENT;FILENAME = x.txt", "x.txt"),
            ("attachment; filename=\"fallback\"; filename*=utf-8''na%C3%AFve", "naïve"),
            ("attachment; filename=\"kept\"; filename*=latin''x", "kept"), ("attachment; filename*=UTF-8'en'a%20b", "a b"),
            ("form-data; name=\"field; filename=no\"; filename=\"yes\"", "yes"), ("attachment; filename=\"", "\""),
            ("attachment; filename=\"a", "\"a"), ("attachment; filename=\"\"", ""),
        ])
    func filenames(header: String, name: String) {
        #expect(ContentDisposition(header)?.filename == name)
    }

    @Test(
        "Malformed encoded words, and those of an unknown charset, are literal names",
        arguments: [
            "=?utf-8?B?!!?=", "=?utf-8?X?YQ==?=", "=?klingon?B?YQ==?=", "=?utf-8?B?/w==?=", "=?utf-8?Q?=G1?=", "=?=", "=?a?=",
            "=?utf-8?B?YQ==?= plain",
        ])
    func brokenWords(name: String) {
        #expect(ContentDisposition("attachment; filename=\"\(name)\"")?.filename == name)
    }

    @Test("A disposition without a filename has none")
    func none() {
        #expect(ContentDisposition("inline") == ContentDisposition(kind: "inline", filename: nil))
        #expect(ContentDisposition("attachment; x=y")?.filename == nil)
        #expect(ContentDisposition("") == nil)
        #expect(ContentDisposition("; filename=x") == nil)
        #expect(ContentDisposition("a b; filename=x") == nil)
    }

    @Test("The header has the literal prefix that CBL 1.x readers check")
    func rendering() {
        #expect(ContentDisposition(filename: "ü \"x\"\\").rendered == "attachment; filename=\"ü \\\"x\\\"\\\\\"")
        #expect(ContentDisposition(kind: "inline", filename: nil).rendered == "inline")
    }
}
