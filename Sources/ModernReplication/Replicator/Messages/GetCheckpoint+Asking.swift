import BLIP

extension GetCheckpoint {
    /// The request for a checkpoint.
    static func request(_ client: String, _ properties: BLIPProperties) -> BLIPMessage {
        var properties = properties
        properties.add("client", client)
        return .request("getCheckpoint", properties: properties)
    }

    /// What the server keeps; `nil` if it has nothing under this name.
    static func found(in reply: BLIPMessage) throws -> KeptCheckpoint? {
        guard reply.type == .reply else {
            guard reply.errorDomain == "HTTP" || reply.errorDomain == "LiteCore", [404, 7].contains(reply.errorCode) else {
                throw ReplicatorError(reply, to: "getCheckpoint")
            }
            return nil
        }
        return KeptCheckpoint(reply.body, revision: reply.properties["rev"])
    }
}
