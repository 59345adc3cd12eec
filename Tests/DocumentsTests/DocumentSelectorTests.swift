import Documents
import Testing

@Suite("Selectors")
struct DocumentSelectorTests {
    @Test("A lone surrogate is read as U+FFFD, and the last of equal keys counts")
    func oddDocuments() throws {
        let document = Array(#"{"t":"\ud83d","k\udc00":1,"o":{"a":1,"a":2},"p":"\ud83d\ude00"}"#.utf8)
        let texts = try DocumentSelector(Array("{\"t\":\"\u{fffd}\",\"k\u{fffd}\":1,\"o.a\":2,\"p\":\"\u{1f600}\"}".utf8))
        #expect(try texts.matches(document))
        #expect(try !DocumentSelector.designDocuments.matches(document))
    }

    private static let document = Array(
        #"{"_id":"a","type":"order","total":120.50,"n":7,"tags":["x","y"],"to":{"city":"Bonn","zip":null},"lines":[{"n":1},{"n":3}],"a.b":1}"#
            .utf8)

    @Test(
        "These selectors match the document",
        arguments: [
            #"{}"#, #"{"type":"order"}"#, #"{"total":120.5}"#, #"{"total":{"$gt":100,"$lte":120.5}}"#, #"{"to.city":"Bonn"}"#,
            #"{"to":{"city":"Bonn"}}"#, #"{"to.zip":null}"#, #"{"to.zip":{"$exists":true}}"#, #"{"gone":{"$exists":false}}"#,
            #"{"$or":[{"type":"x"},{"n":7}]}"#, #"{"$nor":[{"type":"x"},{"n":8}]}"#, #"{"$not":{"type":"x"}}"#,
            #"{"n":{"$in":[1,7]}}"#, #"{"n":{"$nin":[1,2]}}"#, #"{"tags":{"$in":["y"]}}"#, #"{"tags":{"$all":["y","x"]}}"#,
            #"{"tags":{"$size":2}}"#, #"{"tags":["x","y"]}"#, #"{"tags.1":"y"}"#, #"{"n":{"$mod":[4,3]}}"#, #"{"type":{"$type":"string"}}"#,
            #"{"lines":{"$elemMatch":{"n":{"$gt":2}}}}"#, #"{"lines":{"$allMatch":{"n":{"$gt":0}}}}"#, #"{"a\\.b":1}"#,
            #"{"$and":[{"n":{"$gte":7}},{"$not":{"$or":[{"n":1},{"type":"y"}]}}]}"#, #"{"n":{"$lt":"text"}}"#, #"{"type":{"$ne":"x"}}"#,
            #"{"n":{"$not":{"$gt":7}}}"#, #"{"to":{"zip":null,"city":"Bonn"}}"#,
        ])
    func fulfilled(_ selector: String) throws {
        #expect(try DocumentSelector(Array(selector.utf8)).matches(Self.document))
    }

    @Test(
        "These selectors do not match the document",
        arguments: [
            #"{"type":"x"}"#, #"{"gone":{"$ne":1}}"#, #"{"$not":{"gone":1}}"#, #"{"gone":{"$nin":[1]}}"#, #"{"to.street":null}"#,
            #"{"n":{"$gt":7}}"#, #"{"n":{"$mod":[4,2]}}"#, #"{"total":{"$mod":[4,2]}}"#, #"{"tags":{"$all":["z"]}}"#,
            #"{"tags":{"$size":1}}"#,
            #"{"lines":{"$allMatch":{"n":1}}}"#, #"{"type":{"$elemMatch":{"$eq":"o"}}}"#, #"{"$and":[{"n":7},{"n":8}]}"#,
            #"{"$nor":[{"n":7}]}"#, #"{"tags.2":{"$exists":true}}"#, #"{"n":{"$gt":"text"}}"#, #"{"$or":[]}"#,
        ])
    func notFulfilled(_ selector: String) throws {
        #expect(try !DocumentSelector(Array(selector.utf8)).matches(Self.document))
    }

    @Test(
        "Malformed selectors are refused",
        arguments: [
            #"[]"#, #"1"#, #"{"$or":1}"#, #"{"$or":[1]}"#, #"{"a":{"$regex":"x"}}"#, #"{"a":{"$size":-1}}"#, #"{"a":{"$mod":[0,1]}}"#,
            #"{"a":{"$type":"date"}}"#, #"{"a":{"$exists":1}}"#, #"{"$bogus":1}"#, #"{"a":{"$in":1}}"#,
        ])
    func refused(_ selector: String) {
        #expect(throws: DocumentError.self) { try DocumentSelector(Array(selector.utf8)) }
    }

    @Test("Nesting has a limit, and design documents have their own selector")
    func bounds() throws {
        let deep = String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100)
        #expect(throws: JSONError.self) { try DocumentSelector(Array(deep.utf8)) }
        #expect(try DocumentSelector.designDocuments.matches(Array(#"{"_id":"_design/a"}"#.utf8)))
        #expect(try !DocumentSelector.designDocuments.matches(Array(#"{"_id":"a"}"#.utf8)))
    }
}
