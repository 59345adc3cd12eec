import LegacyServer
import TestSupport

extension FuzzConversation {
    /// A client of the 1.x changes feed over a WebSocket: its first message has the options.
    mutating func playFeed() throws {
        while sent < FuzzSettings.ofConversation {
            let database = maker.random.pick(caller.databases)
            maker.wildness = maker.random.pick([0, 20, 8])
            guard var socket = try open("/\(database)/_changes?feed=websocket", subprotocols: "x", in: database) else { continue }
            var options: [UInt8] = []
            if case .json(let shape)? = RequestShape.legacy[.endpoint("_changes")]?.body { maker.json(shape, to: &options) }
            let broken = maker.random.once(in: 4)
            let bytes =
                broken ? maker.brokenFrames(of: [options]) : RawWebSocket.frame(maker.random.pick([0x81, 0x81, 0x81, 0x82]), options)
            socket.socket.send(bytes)
            if maker.random.once(in: 4) { socket.socket.send(RawWebSocket.frame(0x81, options)) }
            sent += 1
            try drain(&socket)
        }
    }
}
