import Testing

@testable import PassThrough

@Suite("The target of a request on the old server")
struct OldServerTests {
    @Test(
        "The database's name is replaced by its path; everything behind it stays as it came",
        arguments: [
            ("http://old/shop", "/shop", "/shop"), ("http://old/shop/", "/shop/", "/shop/"), ("http://old/shop", "/shop?x=1", "/shop?x=1"),
            ("http://old/stock", "/shop/a%2Fb?rev=1-a", "/stock/a%2Fb?rev=1-a"),
            ("https://old:4984/sync/stock", "/shop/_changes?since=%22a%22", "/sync/stock/_changes?since=%22a%22"),
            ("http://old/shop", "/shop//a/../b/./%2e%2e", "/shop//a/../b/./%2e%2e"), ("http://old/shop", "/shop/a#b", "/shop/a%23b"),
            ("http://old/a%2Fb", "/shop/c", "/a%2Fb/c"), ("http://old/shop", "/sh%6Fp/x", "/shop/x"),
        ])
    func database(url: String, raw: String, target: String) throws {
        #expect(try #require(OldServer(url)).target(for: raw) == target)
    }

    @Test(
        "Outside any database, the root is the folder of the database",
        arguments: [
            ("http://old/shop", "/", "/"), ("http://old/shop", "/_session", "/_session"),
            ("http://old/sync/shop", "/_all_dbs?a", "/sync/_all_dbs?a"), ("http://old/sync/shop/", "/", "/sync/"),
        ])
    func root(url: String, raw: String, target: String) throws {
        #expect(try #require(OldServer(url)).rootTarget(for: raw) == target)
    }

    @Test(
        "The origin has the port as written",
        arguments: [
            ("http://old/a", "http://old"), ("https://Old:8443/a", "https://Old:8443"), ("http://[::1]:5984/a", "http://[::1]:5984"),
        ])
    func origin(url: String, origin: String) throws {
        #expect(try #require(OldServer(url)).origin == origin)
    }

    @Test(
        "Other URLs are refused",
        arguments: [
            "", "shop", "ws://old/shop", "http://old", "http://old/", "http://u:p@old/shop", "http://old/shop?x", "http://old:70000/shop",
        ])
    func refused(url: String) {
        #expect(OldServer(url) == nil)
    }
}
