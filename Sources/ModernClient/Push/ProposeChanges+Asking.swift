import BLIP
import Documents
import ModernProtocol

extension ProposeChanges {
    /// The `proposeChanges` request.
    static func request(_ changes: [LocalChange], _ properties: BLIPProperties, _ subprotocol: Subprotocol) -> BLIPMessage {
        var properties = properties
        if subprotocol != .v2 { properties.add("conflictIncludesRev", "true") }
        if subprotocol.hasVersions, !changes.isEmpty { properties.add(CarriedHistory.tree, "true") }
        var body: [UInt8] = [UInt8(ascii: "[")]
        for (index, change) in changes.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(UInt8(ascii: "["))
            JSONWriter.append(change.id, to: &body)
            body.append(UInt8(ascii: ","))
            // With the whole vector, the server can tell without another request whether the version covers its own.
            JSONWriter.append(change.version?.description ?? change.revision.text, to: &body)
            body.append(UInt8(ascii: ","))
            JSONWriter.append(change.parent?.description ?? "", to: &body)
            body.append(UInt8(ascii: ","))
            JSONWriter.append(change.size, to: &body)
            body.append(UInt8(ascii: "]"))
        }
        body.append(UInt8(ascii: "]"))
        // An empty list states that there is nothing to push, and wants no reply.
        return .request(
            "proposeChanges", properties: properties, body: body, isUrgent: true, noReply: changes.isEmpty, isCompressed: !changes.isEmpty)
    }

    /// The statuses of all proposals; statuses that the reply omits at the end are "wanted".
    static func statuses(in reply: BLIPMessage, count: Int) throws -> [ProposalStatus] {
        guard reply.type == .reply else { throw ReplicatorError(reply, to: "proposeChanges") }
        var statuses: [ProposalStatus] = []
        if !reply.body.isEmpty {
            do {
                try JSONReader.read(reply.body) { reader in
                    guard !reader.isNull else { return }
                    try reader.array { statuses.append(try status(&$0)) }
                }
            } catch {
                throw ReplicatorError(.remoteError, "The server's answer to proposeChanges cannot be read", cause: error)
            }
        }
        guard statuses.count <= count else {
            throw ReplicatorError(.remoteError, "The server's answer to proposeChanges has \(statuses.count) items for \(count)")
        }
        return statuses + Array(repeating: .wanted, count: count - statuses.count)
    }

    private static func status(_ reader: inout JSONReader) throws -> ProposalStatus {
        switch reader.kind {
        case .number: return status(try reader.int(), current: nil)
        case .object:
            var code = 0
            var current: String?
            try reader.object(uniqueKeys: false) { key, value in
                if key == "status", value.kind == .number { code = try value.int() }
                if key == "rev", value.kind == .string { current = try value.string() }
            }
            return status(code, current: current)
        default:
            try reader.skip()
            return .wanted
        }
    }

    private static func status(_ code: Int, current: String?) -> ProposalStatus {
        switch code {
        case 0: .wanted
        case 304: .known
        case 409: .conflict(current: current)
        default: .refused(code)
        }
    }
}
