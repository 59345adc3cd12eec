import NIOCore

/// One side of a WebSocket as a state machine, from the handshake to the end. Without side effects: each event returns actions to perform.
struct WebSocketSession {
    enum Action: Equatable {
        /// Deliver these messages to the application.
        case deliver([WebSocketMessage])
        /// Reply to a ping.
        case pong([UInt8])
        /// Send a ping.
        case ping
        /// Send the close frame, and record how the socket ended.
        case close(WebSocketClosure)
        /// The socket has ended; record this closure unless one is recorded. Close the connection once everything is written.
        case end(WebSocketClosure)
        /// Close the connection immediately.
        case abort(WebSocketClosure)
    }

    private enum State {
        case open
        /// This side's close frame is sent; the peer's is expected.
        case closing(since: NIODeadline, WebSocketClosure)
        case ended
    }

    private let limits: WebSocketLimits
    private var reader: WebSocketReader
    private var state = State.open
    private var lastReceived: NIODeadline
    private var pingSent: NIODeadline?

    init(role: WebSocketRole, limits: WebSocketLimits, now: NIODeadline) {
        self.limits = limits
        reader = WebSocketReader(role: role, frameSize: limits.frameSize, messageSize: limits.messageSize)
        lastReceived = now
    }

    /// Processes received bytes.
    mutating func received(_ bytes: UnsafeRawBufferPointer, now: NIODeadline) -> [Action] {
        if case .ended = state { return [] }
        lastReceived = now
        pingSent = nil
        var events: [WebSocketReader.Event] = []
        var violation: WebSocketViolation?
        do throws(WebSocketViolation) {
            try reader.read(bytes, into: &events)
        } catch {
            violation = error
        }
        var actions: [Action] = []
        var messages: [WebSocketMessage] = []
        for event in events {
            switch (event, state) {
            case (.message(let message), .open): messages.append(message)
            case (.ping(let payload), .open): actions.append(.pong(payload))
            case (.close(let code, let reason), .open):
                state = .ended
                let closure = WebSocketClosure(code: code, reason: reason, initiator: .peer)
                actions += [.close(closure), .end(closure)]
            case (.close, .closing(_, let closure)):
                state = .ended
                actions.append(.end(closure))
            case (.message, _), (.ping, _), (.pong, _), (.close, .ended): break
            }
        }
        if !messages.isEmpty { actions.insert(.deliver(messages), at: 0) }
        if let violation {
            switch state {
            case .open:
                let closure = WebSocketClosure(code: violation.code, reason: violation.reason, initiator: .local)
                actions += [.close(closure), .end(closure)]
            case .closing(_, let closure): actions.append(.end(closure))
            case .ended: break
            }
            state = .ended
        }
        return actions
    }

    /// Begins the closing handshake.
    mutating func close(_ closure: WebSocketClosure, now: NIODeadline) -> [Action] {
        guard case .open = state else { return [] }
        state = .closing(since: now, closure)
        return [.close(closure)]
    }

    /// Processes the loss of the connection.
    mutating func disconnected(_ reason: String) -> [Action] {
        switch state {
        case .open:
            state = .ended
            return [.abort(.lost(reason))]
        case .closing(_, let closure):
            state = .ended
            return [.abort(closure)]
        case .ended: return []
        }
    }

    /// Checks the timeouts.
    ///
    /// - Parameter isHeldBack: Whether reading is paused at present, so that missing data is not a timeout.
    mutating func tick(isHeldBack: Bool, now: NIODeadline) -> [Action] {
        switch state {
        case .ended: return []
        case .closing(let since, let closure):
            guard now - since >= TimeAmount(limits.closeTimeout) else { return [] }
            state = .ended
            return [.abort(closure)]
        case .open: break
        }
        if isHeldBack {
            lastReceived = now
            pingSent = nil
            return []
        }
        let silence = now - lastReceived
        if let idleTimeout = limits.idleTimeout, silence >= TimeAmount(idleTimeout) {
            return disconnected("nothing was received for \(idleTimeout)")
        }
        if let pingSent {
            guard now - pingSent >= TimeAmount(limits.pingTimeout) else { return [] }
            return disconnected("a ping was not answered within \(limits.pingTimeout)")
        }
        guard let interval = limits.pingInterval, silence >= TimeAmount(interval) else { return [] }
        pingSent = now
        return [.ping]
    }
}
