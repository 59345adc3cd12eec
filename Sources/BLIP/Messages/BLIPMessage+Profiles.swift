extension BLIPMessage {
    /// What a request asks for: its `Profile` property.
    public var profile: String? {
        properties["Profile"]
    }

    /// A request for `profile`, which becomes the first of its properties.
    public static func request(
        _ profile: String, properties: BLIPProperties = BLIPProperties(), body: [UInt8] = [],
        isUrgent: Bool = false, noReply: Bool = false, isCompressed: Bool = false,
    ) -> BLIPMessage {
        var all = BLIPProperties(reservingCapacity: properties.encoded.count + profile.utf8.count + 9)
        all.add("Profile", profile)
        all.add(properties)
        return BLIPMessage(
            type: .request, properties: all, body: body, isUrgent: isUrgent, noReply: noReply, isCompressed: isCompressed)
    }

    /// The reply to the request with `number`.
    public static func reply(
        to number: UInt64, properties: BLIPProperties = BLIPProperties(), body: [UInt8] = [], isCompressed: Bool = false,
    ) -> BLIPMessage {
        BLIPMessage(type: .reply, number: number, properties: properties, body: body, isCompressed: isCompressed)
    }
}
