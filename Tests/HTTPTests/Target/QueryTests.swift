import HTTP
import Testing

@Suite("Query")
struct QueryTests {
    private func query(_ raw: String) throws -> Query { try RequestTarget("/db?" + raw).query }

    @Test("Items keep their order; names may repeat, and values may be missing or empty")
    func items() throws {
        let query = try query("b=1&a=2&b=3&c&d=&&=x&e=f=g")
        #expect(query.items.map(\.name) == ["b", "a", "b", "c", "d", "", "e"])
        #expect(query.items.map(\.value) == ["1", "2", "3", "", "", "x", "f=g"])
        #expect(query["b"] == "1")
        #expect(query.values(named: "b") == ["1", "3"])
        #expect(query.contains("c") && !query.contains("x"))
        #expect(query["missing"] == nil)
        #expect(query.raw == "b=1&a=2&b=3&c&d=&&=x&e=f=g")
    }

    @Test("A plus is a space, also in names, as CBL Java sends it; %2B is a plus, as iOS and PouchDB send it")
    func plus() throws {
        let query = try query("a+b=c+d&e=%2B%20+")
        #expect(query["a b"] == "c d")
        #expect(query["e"] == "+  ")
    }

    @Test("A missing query and an empty one have no items")
    func empty() throws {
        #expect(try query("").isEmpty)
        #expect(try RequestTarget("/db").query == query(""))
        #expect(try query("&&").isEmpty)
    }

    @Test("A question mark or slash in a query is text")
    func reserved() throws {
        #expect(try query("a=b?c/d")["a"] == "b?c/d")
    }

    @Test("Whole numbers are read")
    func ints() throws {
        let query = try query("a=10&b=-1&c=&d=1.5&e=x&f=99999999999999999999&g=+1")
        #expect(try query.int("a") == 10)
        #expect(try query.int("b") == -1)
        #expect(try query.int("c") == nil)
        #expect(try query.int("missing") == nil)
        let extremes = try self.query("a=9223372036854775807&b=-9223372036854775808")
        #expect(try extremes.int("a") == Query.numbers.upperBound && extremes.int("b") == Query.numbers.lowerBound)
        for name in ["d", "e", "f", "g"] {
            let error = #expect(throws: RequestTargetError.self) { try query.int(name) }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test("Booleans are read")
    func bools() throws {
        let query = try query("a=true&b=false&c=1&d=0&e=&f&g=yes&h=TRUE")
        #expect(try query.bool("a") == true)
        #expect(try query.bool("b") == false)
        #expect(try query.bool("c") == true)
        #expect(try query.bool("d") == false)
        #expect(try query.bool("e") == nil)
        #expect(try query.bool("f") == nil)
        #expect(try query.bool("missing") == nil)
        #expect(throws: RequestTargetError.self) { try query.bool("g") }
        #expect(throws: RequestTargetError.self) { try query.bool("h") }
    }

    @Test("JSON brackets are read raw, as from CBL .NET, and percent-encoded, as from PouchDB")
    func json() throws {
        let query = try query("revs_from=[]&open_revs=%5B%222-bbbb%22%2C%222-aaaa%22%5D&keys=")
        #expect(query.json("revs_from") == Array("[]".utf8))
        #expect(query.json("open_revs") == Array("[\"2-bbbb\",\"2-aaaa\"]".utf8))
        #expect(query.json("keys") == nil)
        #expect(query.json("missing") == nil)
    }

    @Test("A query that is written reads back as it was")
    func rendering() throws {
        let sent = Query([QueryItem("keys", "[\"ü +&=\"]"), QueryItem("a b", ""), QueryItem("x", "1")])
        #expect(sent.raw == "keys=%5B%22%C3%BC%20%2B%26%3D%22%5D&a%20b=&x=1")
        #expect(try query(sent.raw).items == sent.items)
    }
}
