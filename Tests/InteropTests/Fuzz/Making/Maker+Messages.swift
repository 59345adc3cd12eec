import BLIP
import ModernProtocol
import TestSupport

extension Maker {
    /// A request of a 2.x+ client.
    ///
    /// - Parameter isNamed: Whether the client has named its collections.
    mutating func message(isNamed: Bool) -> BLIPMessage {
        isExtreme = random.once(in: 5)
        wildness = isExtreme ? 0 : random.pick([0, 0, 30, 15, 8])
        let profile = random.pick(Profile.allCases)
        let name =
            isWild() ? String(decoding: random.pick(Boundaries.texts).filter { $0 != 0 }.prefix(300), as: UTF8.self) : profile.rawValue
        let (properties, body) = content(MessageShape.of(profile), collection: isNamed ? .choice(["0", "1"]) : nil)
        var message = BLIPMessage.request(name, properties: properties, body: body, isCompressed: random.once(in: 2))
        message.isUrgent = random.once(in: 4)
        message.noReply = random.once(in: 12)
        return message
    }

    /// A request of one profile, with the mandatory properties.
    mutating func message(of profile: Profile, with needed: [String: String] = [:]) -> BLIPMessage {
        var (properties, body) = content(.of(profile), collection: nil)
        for (key, value) in needed.sorted(by: { $0.key < $1.key }) where properties[key] == nil { properties.add(key, value) }
        return .request(profile.rawValue, properties: properties, body: body, isCompressed: random.once(in: 2))
    }

    /// The reply to a request of the bridge.
    mutating func reply(to request: BLIPMessage, _ shape: MessageShape? = nil) -> BLIPMessage {
        if random.once(in: 5) {
            return .error(
                to: request.number, domain: random.pick(["HTTP", "BLIP", "x"]), code: random.pick([400, 404, 409, 0, -1, .max]),
                message: "x")
        }
        let (properties, body) = content(shape ?? .answer(to: request.profile ?? ""), collection: nil)
        return .reply(to: request.number, properties: properties, body: body, isCompressed: random.once(in: 2))
    }

    private mutating func content(_ shape: MessageShape, collection: Term?) -> (BLIPProperties, [UInt8]) {
        var named: [String: String] = [:]
        for (key, term) in shape.properties where random.number(0...2) > 0 { named[key] = property(term) }
        if let collection { named["collection"] = property(collection) }
        if isWild() { named[random.pick(["collection", "x", "Profile2", "id", "rev"])] = property(.number) }
        if isWild(), random.once(in: 8) { for index in 0..<50 { named["k\(index)"] = "v" } }
        var properties = BLIPProperties()
        for (key, value) in named.sorted(by: { $0.key < $1.key }) { properties.add(key, value) }
        var body: [UInt8] = []
        switch shape.body {
        case .none: if isWild() { body = random.pick(Boundaries.texts) }
        case .json(let shape): json(shape, to: &body)
        case .bytes: body = random.pick(Boundaries.texts)
        }
        if isWild() { damage(&body) }
        return (properties, body)
    }

    /// A value without NUL, which ends it on the wire.
    private mutating func property(_ term: Term) -> String {
        String(decoding: text(term).filter { $0 != 0 }, as: UTF8.self)
    }
}
