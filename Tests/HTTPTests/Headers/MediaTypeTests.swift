import HTTP
import Testing

@Suite("MediaType")
struct MediaTypeTests {
    @Test("A charset on JSON is accepted, as CBL Java and .NET send it")
    func charset() throws {
        let type = try #require(MediaType("application/json; charset=utf-8"))
        #expect(type.isJSON && !type.isMultipart)
        #expect(type.charset == "utf-8")
        #expect(type.essence == "application/json")
    }

    @Test("Types and parameter names are case-insensitive, and values are kept")
    func cases() throws {
        let type = try #require(MediaType(" Multipart/RELATED ;Boundary=\"AbC\" "))
        #expect(type.essence == "multipart/related" && type.isMultipart)
        #expect(type.boundary == "AbC")
    }

    @Test("Unusual parameters are parsed")
    func parameters() throws {
        let type = try #require(MediaType("a/b;;x; y= ; =z; c=\"un;terminated"))
        #expect(type.parameters.items.map(\.name) == ["x", "y", "c"])
        #expect(type.parameters.items.map(\.value) == ["", "", "un;terminated"])
        #expect(MediaType("a/b; c=\"d\"junk; e=f")?.parameters["e"] == "f")
        #expect(MediaType("a/b; c=\"\\")?.parameters["c"] == "\\")
        #expect(MediaType("a/b" + String(repeating: "; x=y", count: 1000))?.parameters.items.count == 32)
    }

    @Test("Malformed media types are refused", arguments: ["", "json", "/", "a/", "/b", "a b/c", "a/b c", "a/b/c", "; x=y", "ä/b"])
    func none(header: String) {
        #expect(MediaType(header) == nil)
    }

    @Test("Values are quoted where necessary")
    func rendering() {
        let parameters = HeaderParameters([
            .init(name: "a", value: "b"), .init(name: "c", value: "d \"e\" \\"), .init(name: "f", value: ""),
        ])
        let type = MediaType(type: "x", subtype: "y", parameters: parameters)
        #expect(type.rendered == #"x/y; a=b; c="d \"e\" \\"; f="""#)
        #expect(MediaType(type.rendered) == type)
    }
}
