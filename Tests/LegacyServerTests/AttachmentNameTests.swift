import Documents
import HTTPTypes
import LegacyTestSupport
import Testing

@Suite("Attachment names that headers cannot carry")
struct AttachmentNameTests {
    @Test(
        "An attachment whose name no header can carry is sent inline, whatever its length; the others are sent as parts",
        arguments: ["_bulk_get", "GET"])
    func controlCharacters(by method: String) async throws {
        let bridge = try await Bridge()
        let names = [#"tab\there"#, #"line\nend"#, #"del\u007f"#, "plain"]
        let entries = names.map { #""\#($0)":{"data":"\#(Base64.encode([UInt8](repeating: 7, count: 5_000)))"}"# }
        try await bridge.push(#"{"_id":"d","_rev":"1-a","_attachments":{\#(entries.joined(separator: ","))}}"#)
        let text =
            method == "GET"
            ? try await bridge.send(.get, "/db/d?attachments=true&revs=true", headers: [.accept: "multipart/related"]).text
            : try await bridge.send(
                .post, "/db/_bulk_get?revs=true&attachments=true", headers: [.contentType: "application/json", .accept: "multipart/mixed"],
                body: Array(#"{"docs":[{"id":"d","rev":"1-a"}]}"#.utf8)
            ).text
        #expect(text.split(separator: "\"data\":").count == 4)
        #expect(text.split(separator: "Content-Disposition").count == 2 && text.contains(#"filename="plain""#))
    }

    @Test("An attachment whose name cannot be read back is refused", arguments: ["", String(repeating: "n", count: 4_097)])
    func unreadable(name: String) async throws {
        let bridge = try await Bridge()
        let answer = try await bridge.send(.put, "/db/d/\(name.isEmpty ? "/" : name)", body: Array("bytes".utf8))
        #expect(answer.status == 400 && answer.text.contains("a name must have 1 to 4096 bytes"), "\(answer.status) \(answer.text)")
        #expect(try await bridge.send(.get, "/db/d").status == 404)
    }
}
