@testable import BLIP

/// Two connections that are each other's peers.
struct Pair {
    let client: BLIPConnection
    let server: BLIPConnection

    init(limits: BLIPLimits = BLIPLimits(), compression: BLIPCompression = BLIPCompression()) {
        client = BLIPConnection(limits: limits, compression: compression)
        server = BLIPConnection(limits: limits, compression: compression)
    }

    /// Passes frames in both directions until there is none.
    ///
    /// - Returns: The events of each side.
    func exchange() throws -> (client: [BLIPEvent], server: [BLIPEvent]) {
        var events: (client: [BLIPEvent], server: [BLIPEvent]) = ([], [])
        var isIdle = false
        while !isIdle {
            isIdle = true
            while let frame = client.nextFrame() {
                isIdle = false
                if let event = try server.receive(frame) {
                    events.server.append(event)
                }
            }
            while let frame = server.nextFrame() {
                isIdle = false
                if let event = try client.receive(frame) {
                    events.client.append(event)
                }
            }
        }
        return events
    }

    /// Sends a request from the client to the server.
    ///
    /// - Returns: The request's number.
    func ask(isUrgent: Bool = false, streamsReply: Bool = false) throws -> UInt64 {
        let number = try client.send(request: .request("get", isUrgent: isUrgent), streamsReply: streamsReply)
        while let frame = client.nextFrame() {
            _ = try server.receive(frame)
        }
        return number
    }
}
