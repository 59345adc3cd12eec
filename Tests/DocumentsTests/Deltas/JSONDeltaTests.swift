import Documents
import TestSupport
import Testing

@Suite("Deltas")
struct JSONDeltaTests {
    private func canonical(_ json: [UInt8]) throws -> String {
        text(try CanonicalJSON.encode(json, style: .liteCore))
    }

    @Test(
        "Deltas equal those in Couchbase's documentation of the format",
        arguments: [
            (
                #"{"age":8,"grade":3,"name":{"first":"Bobby","last":"Briggs"}}"#,
                #"{"age":18,"name":{"first":"Robert","last":"Briggs"}}"#,
                #"{"age":18,"name":{"first":"Robert"},"grade":[]}"#
            ),
            (#"{"l":["fee","fie","foe"]}"#, #"{"l":["fee","fi","foe","fum"]}"#, #"{"l":{"1":"fi","3-":["fum"]}}"#),
            (#"{"k":"text"}"#, #"{"k":{"a":1}}"#, #"{"k":[{"a":1}]}"#),
            (#"{"k":[1,2,3]}"#, #"{"k":[1]}"#, #"{"k":[[1]]}"#),
            (#"{"k":["long enough","to be","worth it"]}"#, #"{"k":["long enough","to be"]}"#, #"{"k":{"2-":[]}}"#),
            (#"{"k":[]}"#, #"{"k":[1]}"#, #"{"k":[[1]]}"#),
            (#"{"k":1}"#, #"{"k":1}"#, "{}"),
            (#"{ "k" : 1, "l":"A" }"#, "{\"l\":\"\\u0041\",\"k\":1}", "{}"),
            (#"{"k":1}"#, #"{"k":1.0}"#, #"{"k":1.0}"#),
            (#"{}"#, #"{"n":null,"l":[],"o":{}}"#, #"{"n":null,"l":[[]],"o":[{}]}"#),
            (
                #"{"t":"The fog comes in on little cat feet, and sits looking over harbor and city"}"#,
                #"{"t":"The dog comes in on little cat feet, and sits looking over harbor and city"}"#,
                #"{"t":["4=1-1+d|69=",0,2]}"#
            ),
        ])
    func examples(_ old: String, _ new: String, _ delta: String) throws {
        #expect(text(try JSONDelta.create(from: bytes(old), to: bytes(new))) == delta)
        let applied = try JSONDelta.apply(bytes(delta), to: bytes(old))
        #expect(try canonical(applied) == canonical(bytes(new)))
    }

    @Test(
        "Other forms are read, and never written",
        arguments: [
            (#"{"a":1}"#, #"{"a":[1,2]}"#, #"{"a":2}"#),
            (#"{"a":1,"b":2}"#, #"{"a":[1,0,0]}"#, #"{"b":2}"#),
            (#"{"a":[1,2,3]}"#, #"{"a":{"0-":[]}}"#, #"{"a":[]}"#),
            (#"{"a":[1,2,3]}"#, #"{"a":{"1":[[]],"2-":[7,8]}}"#, #"{"a":[1,[],7,8]}"#),
            (#"{"a":{"b":[1]}}"#, #"{"a":{}}"#, #"{"a":{"b":[1]}}"#),
            (#"{"a":1}"#, #"[{"b":2}]"#, #"{"b":2}"#),
            (#"{"a":"x"}"#, #"{"a":["1=4+\n\"é|",0,2]}"#, #"{"a":"x\n\"é"}"#),
        ])
    func readForms(_ old: String, _ delta: String, _ new: String) throws {
        #expect(text(try JSONDelta.apply(bytes(delta), to: bytes(old))) == new)
    }

    @Test("Members that a delta does not name keep their bytes")
    func untouched() throws {
        let old = #"{"n":1.50,"s":"\u0041\/","o":{ "x" : 1E2 },"l":[ 1.0 , 2],"big":123456789012345678901234567890}"#
        let new = #"{"n":1.50,"s":"\u0041\/","o":{ "x" : 1E2 },"l":[ 1.0 , 3],"big":123456789012345678901234567890}"#
        let delta = try JSONDelta.create(from: bytes(old), to: bytes(new))
        #expect(text(delta) == #"{"l":{"1":3}}"#)
        #expect(
            text(try JSONDelta.apply(delta, to: bytes(old)))
                == #"{"n":1.50,"s":"\u0041\/","o":{ "x" : 1E2 },"l":[1.0,3],"big":123456789012345678901234567890}"#)
    }

    @Test("A delta of two values turns the first into the second, here and in Couchbase Lite's way", arguments: 0..<40)
    func property(_ seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        for round in 0..<40 {
            let old = random.document()
            let new = round % 3 == 0 ? random.document() : random.changed(old)
            let oldText = old.spelled(&random.generator), newText = new.spelled(&random.generator)
            let delta = try JSONDelta.create(from: oldText, to: newText)
            let applied = try JSONDelta.apply(delta, to: oldText)
            #expect(try canonical(applied) == canonical(newText), "\(text(oldText)) \(text(newText)) \(text(delta))")
            let expected = try #require(try DeltaModel.apply(JSONValue(delta), to: old))
            var bytes: [UInt8] = []
            expected.append(to: &bytes)
            #expect(try canonical(bytes) == canonical(newText), "\(text(oldText)) \(text(newText)) \(text(delta))")
            #expect(try JSONDelta.create(from: oldText, to: oldText) == Array("{}".utf8))
        }
    }

    @Test("A long text with a few distant changes has a short delta")
    func longTexts() throws {
        var random = RandomJSON(seed: 9)
        let old = (0..<2_000).map { "\($0) \(random.text(words: 4))" }
        var new = old
        new[10] = "changed"
        new.remove(at: 700)
        new.insert("inserted 🐈", at: 1_500)
        func document(_ lines: [String]) -> [UInt8] {
            var bytes: [UInt8] = []
            JSONValue.object([JSONMember("text", .string(lines.joined(separator: "\n")))]).append(to: &bytes)
            return bytes
        }
        let delta = try JSONDelta.create(from: document(old), to: document(new))
        #expect(delta.count < 300)
        #expect(try JSONDelta.apply(delta, to: document(old)) == document(new))
    }

    @Test(
        "A delta that does not match its base is refused",
        arguments: [
            (#"{"a":1}"#, "["), (#"{"a":1}"#, "{} {}"), (#"{"a":1}"#, ""), (#"{"a":1}"#, "[]"), (#"{"a":1}"#, #"{"b":[]}"#),
            (#"{"a":1}"#, #"{"b":[1,2]}"#), (#"{"a":1}"#, #"{"a":{"b":1}}"#), (#"{"a":1}"#, #"{"b":{}}"#), (#"{"a":1}"#, #"{"b":{"c":1}}"#),
            (#"{"a":1}"#, #"{"a":[1,0,3]}"#), (#"{"a":1}"#, #"{"a":[1,2,3,4]}"#), (#"{"a":1}"#, #"{"a":["1=",0,2]}"#),
            (#"{"a":1}"#, #"{"a":1,"a":2}"#), (#"{"a":{"b":1,"b":2}}"#, #"{"a":{"c":1}}"#), (#"{"a":[1]}"#, #"{"a":{"1":2}}"#),
            (#"{"a":[1]}"#, #"{"a":{"2-":[]}}"#), (#"{"a":[1]}"#, #"{"a":{"0":[]}}"#), (#"{"a":[1]}"#, #"{"a":{"00":2}}"#),
            (#"{"a":[1]}"#, #"{"a":{"-1":2}}"#), (#"{"a":[1]}"#, #"{"a":{"x":2}}"#), (#"{"a":[1]}"#, #"{"a":{"0-":1}}"#),
            (#"{"a":[1]}"#, #"{"a":{"0-":[],"1-":[]}}"#), (#"{"a":[1]}"#, #"{"a":{"0":2,"0-":[]}}"#), (#"{"a":[1]}"#, #"{"a":{"-":[]}}"#),
            (#"{"a":[1]}"#, #"{"a":{"99999999999999999999":2}}"#),
        ])
    func misfits(_ old: String, _ delta: String) {
        #expect(code { _ = try JSONDelta.apply(bytes(delta), to: bytes(old)) } == .badDelta)
    }

    @Test(
        "A patch that does not match its text is refused",
        arguments: [
            "", "4=", "2=", "4-", "3=1=", "99999999999999999999=", "9999999999=", "=", "3", "3=1+a", "3=2+a|", "3=9999999999+a|", "3=1*",
            "-3=",
            "3=-1+|", " 3=", "3=1+ab|", "2=1-1+é|",
        ])
    func badPatches(_ patch: String) throws {
        var delta: [UInt8] = bytes(#"{"t":["#)
        JSONWriter.append(patch, to: &delta)
        delta += bytes(",0,2]}")
        #expect(code { _ = try JSONDelta.apply(delta, to: bytes(#"{"t":"abc"}"#)) } == .badDelta)
    }

    @Test("A patch that splits a character is refused")
    func partedCharacters() {
        #expect(code { _ = try JSONDelta.apply(bytes(#"{"t":["1=1-",0,2]}"#), to: bytes(#"{"t":"é"}"#)) } == .badDelta)
    }

    @Test("Depth and number have limits")
    func bounds() throws {
        func nested(_ depth: Int, _ end: String) -> [UInt8] {
            bytes(String(repeating: #"{"a":"#, count: depth) + end + String(repeating: "}", count: depth))
        }
        #expect(try JSONDelta.apply(nested(100, "2"), to: nested(100, "1")) == nested(100, "2"))
        #expect(code { _ = try JSONDelta.apply(nested(101, "2"), to: nested(101, "1")) } == .badDelta)
        // The object is replaced at a great depth.
        let deep = try JSONDelta.create(from: nested(90, "1"), to: nested(90, "2"))
        #expect(try JSONDelta.apply(deep, to: nested(90, "1")) == nested(90, "2"))
        func members(_ count: Int, _ value: Int) -> [UInt8] {
            bytes("{" + (0..<count).map { "\"\($0)\":\(value)" }.joined(separator: ",") + "}")
        }
        #expect(try JSONDelta.apply(members(100_000, 2), to: members(100_000, 1)) == members(100_000, 2))
        #expect(code { _ = try JSONDelta.apply(members(100_001, 2), to: members(100_001, 1)) } == .badDelta)
        #expect(code { _ = try JSONDelta.create(from: members(100_001, 1), to: members(100_001, 2)) } == .tooLarge)
        let large = bytes("\"" + String(repeating: "x", count: JSONDelta.maximumSizeForCreation) + "\"")
        #expect(code { _ = try JSONDelta.create(from: large, to: bytes("{}")) } == .tooLarge)
        #expect(code { _ = try JSONDelta.create(from: bytes("{"), to: bytes("{}")) } == .badJSON)
    }

    @Test("Random bytes as a delta give well-formed text or are refused", arguments: 0..<20)
    func fuzz(_ seed: UInt64) throws {
        var random = RandomJSON(seed: seed &+ 1_000)
        for _ in 0..<50 {
            let old = random.document()
            let oldText = old.spelled(&random.generator)
            var delta = try JSONDelta.create(from: oldText, to: random.changed(old).spelled(&random.generator))
            for _ in 0..<Int.random(in: 1...3, using: &random.generator) {
                let place = Int.random(in: 0..<delta.count, using: &random.generator)
                delta[place] = generatorByte(&random.generator)
            }
            guard let result = try? JSONDelta.apply(delta, to: oldText) else { continue }
            _ = try CanonicalJSON.encode(result, style: .liteCore)
            #expect(result.count <= oldText.count * 6 + delta.count * 6)
        }
    }

    private func generatorByte(_ generator: inout SeededGenerator) -> UInt8 {
        Array(#"[]{},:"0123456789-+=|a\"#.utf8).randomElement(using: &generator) ?? 0
    }
}
