import Testing

@testable import LegacyServer

@Suite("Attachments that are extracted from a body")
struct InlineDataFilterTests {
    private struct Taken: Equatable {
        let document: Int
        let name: String
        var data = ""
        var hasEnded = false
    }

    /// The remaining text and the extracted attachments of a body that arrives in pieces of this size.
    private func filter(_ body: String, piece: Int, threshold: Int = 4) -> (text: String, taken: [Taken]) {
        var filter = InlineDataFilter(threshold: threshold)
        var taken: [Taken] = []
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            for event in filter.consume(bytes[start..<min(start + piece, bytes.count)]) {
                switch event {
                case .began(let document, let name): taken.append(Taken(document: document, name: name))
                case .data(let data): taken[taken.count - 1].data += String(decoding: data, as: UTF8.self)
                case .ended: taken[taken.count - 1].hasEnded = true
                }
            }
        }
        return (String(decoding: filter.text, as: UTF8.self), taken)
    }

    @Test("Only long attachments are extracted, each with its document and its name", arguments: [1, 2, 3, 5, 7, 1000])
    func long(_ piece: Int) {
        let body = #"""
            {"new_edits":false, "docs" : [ {"_id":"a","_attachments":{"x":{"data" : "QUJDREVG","revpos":1},"y":{"data":"QUI="}}},
            7, "docs", [{"_attachments":{"n":{"data":"QUJDREVG"}}}],
            {"data":"QUJDREVG","deep":{"_attachments":{"z":{"data":"QUJDREVG"}}},"_attachments":{"\u0061\"":{"digest":"sha1-","data":"QUJD\/EVG"}}}]}
            """#
        let (text, taken) = filter(body, piece: piece)
        #expect(
            text == #"""
                {"new_edits":false, "docs" : [ {"_id":"a","_attachments":{"x":{"follows":true,"revpos":1},"y":{"data":"QUI="}}},
                7, "docs", [{"_attachments":{"n":{"data":"QUJDREVG"}}}],
                {"data":"QUJDREVG","deep":{"_attachments":{"z":{"data":"QUJDREVG"}}},"_attachments":{"\u0061\"":{"digest":"sha1-","follows":true}}}]}
                """#)
        #expect(
            taken == [
                Taken(document: 0, name: "x", data: "QUJDREVG", hasEnded: true),
                Taken(document: 4, name: "a\"", data: "QUJD/EVG", hasEnded: true),
            ])
    }

    @Test(
        "Other JSON and text that is not JSON stay unchanged",
        arguments: [
            "", "{}", "[]", "]]}}", #"{"docs":{"a":{"_attachments":{"x":{"data":"QUJDREVG"}}}}}"#,
            #"[{"docs":[{"_attachments":{"x":{"data":"QUJDREVG"}}}]}]"#, #"{"docs":[{"_attachments":{"x":["data","QUJDREVG"]}}]}"#,
            #"{"docs":[{"_attachments":{"x":{"data":["QUJDREVG"]}}}]}"#, #"{"docs":[{"_attachments":{"x":{"QUJDREVG":"data"}}}]}"#,
            #"{"docs":[{"_attachments":{"\ud800":{"data":"QUJDREVG"}}}]}"#, #"{"docs":[{"_attachments":[{"x":{"data":"QUJDREVG"}}]}]}"#,
            #"}{"docs":[{"_attachments":{"x":{"data":"QUJ"#, "{\"docs\":[\"\\", "{\"docs\":[\"\\u00", #"{,:,"docs":,[,{"#,
        ], [1, 3, 1000])
    func others(_ body: String, piece: Int) {
        let (text, taken) = filter(body, piece: piece)
        #expect(taken.isEmpty)
        #expect(body.hasPrefix(text) && body.utf8.count - text.utf8.count < 6)
    }

    @Test("Deep and malformed nesting neither traps nor uses unbounded memory")
    func nesting() {
        var filter = InlineDataFilter(threshold: 4)
        for text in ["[", "{\"a\":", "}", "]", "{", "\""] {
            #expect(filter.consume(Array(String(repeating: text, count: 3_000).utf8)[...]).isEmpty)
        }
    }
}
