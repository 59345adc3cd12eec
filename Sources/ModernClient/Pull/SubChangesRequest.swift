import BLIP
import Documents
import ModernProtocol

/// The start of a pull: `subChanges` to the server.
struct SubChangesRequest: Sendable {
    /// The JSON text of the last sequence; `nil` for the start.
    var since: String?
    var isContinuous = false
    var batch = 200

    /// Whether tombstones are not needed, because there are no local documents that they could delete.
    var activeOnly = false

    /// Whether the server sends rows for documents to which the user has lost access.
    var revocations = false
    var channels: [String] = []
    var documentIDs: [String] = []

    /// The request in LiteCore's form (docs/protocol/modern-2x.md#subchanges).
    func message(_ properties: BLIPProperties, _ subprotocol: Subprotocol) -> BLIPMessage {
        var properties = properties
        if let since { properties.add("since", since) }
        if isContinuous { properties.add("continuous", "true") }
        properties.add("batch", String(batch))
        if subprotocol != .v2 {
            properties.add("sendReplacementRevs", "true")
            properties.add("versioning", subprotocol.hasVersions ? "version-vectors" : "rev-trees")
        }
        if subprotocol.hasVersions {
            properties.add(CarriedHistory.tree, "true")
            properties.add(CarriedHistory.clients, "true")
        }
        if activeOnly { properties.add("activeOnly", "true") }
        if revocations, subprotocol != .v2 { properties.add("revocations", "true") }
        if !channels.isEmpty {
            properties.add("filter", "sync_gateway/bychannel")
            properties.add("channels", channels.joined(separator: ","))
        }
        return .request("subChanges", properties: properties, body: body)
    }

    private var body: [UInt8] {
        guard !documentIDs.isEmpty else { return [] }
        var body: [UInt8] = []
        JSONWriter.append(raw: "{\"docIDs\":", to: &body)
        JSONValue.array(documentIDs.map { .string($0) }).append(to: &body)
        body.append(UInt8(ascii: "}"))
        return body
    }
}
