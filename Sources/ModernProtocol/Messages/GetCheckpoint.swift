package import BLIP
import Documents

/// `getCheckpoint` (docs/protocol/modern-2x.md#checkpoint-messages).
package struct GetCheckpoint {
    /// The name of the checkpoint.
    package let client: String

    package init(_ request: BLIPMessage) throws(BLIPRequestError) {
        guard let client = request.properties["client"], !client.isEmpty else {
            throw BLIPRequestError(.badRequest, "getCheckpoint needs the property client")
        }
        self.client = client
    }

    /// The request for a checkpoint.
    package static func request(_ client: String, _ properties: BLIPProperties) -> BLIPMessage {
        var properties = properties
        properties.add("client", client)
        return .request("getCheckpoint", properties: properties)
    }
}

/// `setCheckpoint` (docs/protocol/modern-2x.md#checkpoint-messages).
package struct SetCheckpoint {
    /// The name of the checkpoint.
    package let client: String

    /// The checkpoint revision that the client knows; `nil` for none, which LiteCore sends as an empty `rev`.
    package let revision: String?

    /// The checkpoint's body, stored byte for byte.
    package let body: [UInt8]

    package init(_ request: BLIPMessage, limits: SessionLimits) throws {
        guard let client = request.properties["client"], !client.isEmpty else {
            throw BLIPRequestError(.badRequest, "setCheckpoint needs the property client")
        }
        guard client.utf8.count <= DocumentID.maximumLength else {
            throw BLIPRequestError(
                .badRequest, "setCheckpoint: client has \(client.utf8.count) bytes; at most \(DocumentID.maximumLength) are allowed")
        }
        guard request.body.count <= limits.checkpointSize else {
            throw BLIPRequestError(
                .tooLarge, "The checkpoint has \(request.body.count) bytes; at most \(limits.checkpointSize) are allowed")
        }
        do {
            try JSONReader.read(request.body) { try $0.object { _, _ in } }
        } catch {
            throw BLIPRequestError(.badRequest, "The checkpoint is not a JSON object: \(error)")
        }
        self.client = client
        revision = request.properties["rev"].flatMap { $0.isEmpty ? nil : $0 }
        body = request.body
    }

    /// The request to store a checkpoint. Without a known revision the property `rev` is present and empty, as LiteCore writes it.
    package static func request(_ client: String, revision: String?, body: [UInt8], _ properties: BLIPProperties) -> BLIPMessage {
        var properties = properties
        properties.add("client", client)
        properties.add("rev", revision ?? "")
        return .request("setCheckpoint", properties: properties, body: body)
    }
}
