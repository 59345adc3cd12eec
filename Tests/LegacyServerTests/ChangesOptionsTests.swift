import Documents
import HTTP
import NIOCore
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Options of _changes")
struct ChangesOptionsTests {
    private func options(_ query: String = "", body: String? = nil, isCouchDB: Bool = false) throws -> ChangesOptions {
        let target = try RequestTarget("/db/_changes?\(query)")
        let parameters = try ChangesParameters(query: target.query, body: body.map { Array($0.utf8) })
        return try ChangesOptions(parameters, isCouchDB: isCouchDB)
    }

    @Test("Without options the feed is normal, has winners only, starts at the beginning and has no limit")
    func defaults() throws {
        let options = try options()
        #expect(options.feed == .normal && options.since == nil && options.limit == nil && !options.allLeaves)
        #expect(options.heartbeat == nil && options.timeout == .seconds(300))
    }

    @Test("The options that iOS and Java send are read from query and body, and the query takes precedence")
    func queryWins() throws {
        let options = try options(
            "feed=longpoll&heartbeat=300000&style=all_docs&limit=5", body: #"{"feed":"normal","heartbeat":30000,"since":12,"limit":"9"}"#)
        #expect(options.feed == .longpoll && options.heartbeat == .seconds(300) && options.allLeaves)
        #expect(options.since == "12" && options.limit == 5)
    }

    @Test(
        "Numbers may be strings in the body, and since may be any JSON value",
        arguments: [
            (#"{"since":"3:4"}"#, "3:4"), (#"{"since":[1,"a"]}"#, #"[1,"a"]"#), (#"{"since":"now"}"#, "now"),
        ])
    func sinceForms(_ body: String, _ since: String) throws {
        #expect(try options(body: body).since == since)
    }

    @Test("A heartbeat is at least five seconds, and CouchDB's true is a minute")
    func heartbeat() throws {
        #expect(try options("heartbeat=10000").heartbeat == .seconds(10))
        #expect(try options("heartbeat=1").heartbeat == .seconds(5))
        #expect(try options("heartbeat=true").heartbeat == .seconds(60))
        #expect(try options("heartbeat=0").heartbeat == nil)
        #expect(try options("heartbeat=99999999999999").heartbeat == .minutes(60))
    }

    @Test("A timeout applies only without a heartbeat and has an upper bound")
    func timeout() throws {
        #expect(try options("timeout=10000").timeout == .seconds(10))
        #expect(try options("timeout=10000&heartbeat=10000").timeout == nil)
        #expect(try options("timeout=99999999").timeout == .seconds(900))
    }

    @Test("limit=0 means no limit for Sync Gateway's clients and no rows for CouchDB")
    func zeroLimit() throws {
        #expect(try options("limit=0").limit == nil)
        #expect(try options("limit=0", isCouchDB: true).limit == 0)
    }

    @Test("Document IDs are a JSON array or a comma-separated list, and count only with the filter _doc_ids")
    func documentIDs() throws {
        #expect(try options("filter=_doc_ids&doc_ids=%5B%22a%22,%22b%22%5D").documentIDs == ["a", "b"])
        #expect(try options("filter=_doc_ids&doc_ids=a,b").documentIDs == ["a", "b"])
        #expect(try options(body: #"{"filter":"_doc_ids","doc_ids":["a","b/c"]}"#).documentIDs == ["a", "b/c"])
        #expect(try options(body: #"{"doc_ids":["a"]}"#).documentIDs == nil)
        #expect(try options("doc_ids=a").documentIDs == nil)
        #expect(try options("filter=sync_gateway/bychannel&channels=*").documentIDs == nil)
    }

    @Test("Document IDs that differ only in Unicode normalisation stay two, and only commas separate them")
    func equivalentDocumentIDs() throws {
        #expect(try options("filter=_doc_ids&doc_ids=caf%C3%A9,cafe%CC%81").documentIDs?.count == 2)
        #expect(try options(body: #"{"filter":"_doc_ids","doc_ids":["caf\u00e9","cafe\u0301"]}"#).documentIDs?.count == 2)
        #expect(try options("filter=_doc_ids&doc_ids=a,%CC%81b").documentIDs?.count == 2)
    }

    @Test(
        "Invalid options are refused with Sync Gateway's messages",
        arguments: [
            ("feed=bogus", "Unknown feed type"),
            ("filter=foo", "Unknown filter; try sync_gateway/bychannel or _doc_ids"),
            ("filter=_view", "Unknown filter; try sync_gateway/bychannel or _doc_ids"),
            ("filter=app/foo&owner=\(String(repeating: "x", count: 20_000))", "The parameters of a filter may have at most 16384 bytes"),
            ("filter=_doc_ids", "Missing 'doc_ids' filter parameter"),
            ("filter=_doc_ids&doc_ids=%5B%5D", "Missing 'doc_ids' filter parameter"),
            ("filter=sync_gateway/bychannel&channels=a,", "Illegal channel name \"\""),
            ("filter=sync_gateway/bychannel", "Missing 'channels' filter parameter"),
            ("limit=x", "limit must be a whole number from 0"),
            ("limit=-1", "limit must be a whole number from 0"),
            ("active_only=maybe", "active_only must be true or false"),
        ])
    func refused(_ query: String, _ reason: String) {
        let error = #expect(throws: LegacyError.self) { try options(query) }
        #expect(error?.reason == reason)
    }

    @Test("Malformed options that only extend or time the response are ignored, as in Sync Gateway")
    func lenient() throws {
        let options = try options("include_docs=maybe&conflicts=TRUE&attachments=x&heartbeat=abc&timeout=-1&since=null")
        #expect(!options.includesDocuments && options.documents == ReadOptions())
        #expect(options.heartbeat == nil && options.timeout == .seconds(300) && options.since == nil)
    }

    @Test("An empty list of document IDs is refused, and a null body has no options")
    func emptyBodies() throws {
        let error = #expect(throws: LegacyError.self) { try options(body: #"{"filter":"_doc_ids","doc_ids":[]}"#) }
        #expect(error?.reason == "Empty doc_ids list")
        #expect(try options(body: "null") == options())
    }

    @Test("A truncated body is refused with Sync Gateway's message", arguments: ["", "{\"since\":1"])
    func shortBody(_ body: String) {
        let error = #expect(throws: LegacyError.self) { try options(body: body) }
        #expect(error?.reason == "Invalid JSON: \"unexpected end of JSON input\"")
    }

    @Test("Parameters of a filter function are plain text or JSON in the query, and keep their JSON types in the body")
    func filterParameters() throws {
        func parameters(_ query: String, body: String? = nil) throws -> String {
            guard case .function(let name, let parameters) = try options("filter=app/f&\(query)", body: body).filter else { return "none" }
            #expect(name == "app/f")
            let members = try #require(try JSONValue(parameters).members).filter { $0.key != "filter" }
            var json: [UInt8] = []
            JSONValue.object(members).append(to: &json)
            return String(decoding: json, as: UTF8.self)
        }
        #expect(try parameters("owner=Waldo") == #"{"owner":"Waldo"}"#)
        #expect(try parameters("owner=%22Waldo%22") == #"{"owner":"Waldo"}"#)
        #expect(try parameters("n=17&b=true&s=+a+b") == #"{"b":true,"n":17,"s":" a b"}"#)
        #expect(try parameters("l=%5B1,%22a%22%5D&o=%7B%22a%22:null%7D&z=007") == #"{"l":[1,"a"],"o":{"a":null},"z":"007"}"#)
        #expect(try parameters("id=12345678901234567890&broken=%7B%22a") == #"{"broken":"{\"a","id":"12345678901234567890"}"#)
        #expect(
            try parameters("a=1", body: #"{"a":"2","n":17,"t":"17","o":{"b":[1]},"z":null,"doc_ids":["x"]}"#)
                == #"{"a":1,"n":17,"o":{"b":[1]},"t":"17"}"#)
    }

    @Test("A body that is not a JSON object is refused", arguments: ["", "{", "[]", "1", "{\"since\":1"])
    func badBody(_ body: String) {
        let error = #expect(throws: LegacyError.self) { try options(body: body) }
        #expect(error?.code == .badRequest)
    }
}
