import BLIP

extension SetCheckpoint {
    /// The request to keep a checkpoint. Its property `rev` is there and empty where no revision is known, as LiteCore writes it.
    static func request(_ client: String, revision: String?, body: [UInt8], _ properties: BLIPProperties) -> BLIPMessage {
        var properties = properties
        properties.add("client", client)
        properties.add("rev", revision ?? "")
        return .request("setCheckpoint", properties: properties, body: body)
    }
}
