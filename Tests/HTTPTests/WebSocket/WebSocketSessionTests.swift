import NIOCore
import Testing

@testable import HTTP

@Suite("States of a WebSocket")
struct WebSocketSessionTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func session(_ change: (inout WebSocketLimits) -> Void = { _ in }) -> WebSocketSession {
        var limits = WebSocketLimits()
        change(&limits)
        return WebSocketSession(role: .client, limits: limits, now: start)
    }

    private func receive(_ session: inout WebSocketSession, _ bytes: [UInt8], after: TimeAmount = .zero) -> [WebSocketSession.Action] {
        bytes.withUnsafeBytes { session.received($0, now: start + after) }
    }

    @Test("Messages are delivered in one batch, and pings get pongs with their payload")
    func batch() {
        var session = session()
        #expect(
            receive(&session, [0x82, 1, 1, 0x89, 2, 7, 8, 0x82, 1, 2]) == [.deliver([.binary([1]), .binary([2])]), .pong([7, 8])])
    }

    @Test("A peer's close gets a close frame and ends the socket, and nothing is read after it")
    func peerCloses() {
        var session = session()
        let closure = WebSocketClosure(code: .transientError, reason: "", initiator: .peer)
        #expect(
            receive(&session, [0x82, 1, 1, 0x88, 2, 0x0F, 0xA1, 0x82, 1, 2]) == [.deliver([.binary([1])]), .close(closure), .end(closure)])
        #expect(receive(&session, [0x82, 1, 1]).isEmpty)
        #expect(session.close(closure, now: start).isEmpty)
        #expect(session.disconnected("gone").isEmpty)
        #expect(session.tick(isHeldBack: false, now: start + .hours(1)).isEmpty)
    }

    @Test("A local close ends with the peer's close frame, and messages before it are dropped")
    func weClose() {
        var session = session()
        let closure = WebSocketClosure(code: .permanentError, reason: "no", initiator: .local)
        #expect(session.close(closure, now: start) == [.close(closure)])
        #expect(session.close(closure, now: start).isEmpty)
        #expect(receive(&session, [0x82, 1, 1, 0x89, 0]).isEmpty)
        #expect(receive(&session, [0x88, 2, 0x0F, 0xA2]) == [.end(closure)])
    }

    @Test("A close without a response ends at its timeout")
    func closeTimeout() {
        var session = session { $0.closeTimeout = .seconds(5) }
        let closure = WebSocketClosure(code: .normalClosure, reason: "", initiator: .local)
        #expect(session.close(closure, now: start) == [.close(closure)])
        #expect(session.tick(isHeldBack: false, now: start + .seconds(4)).isEmpty)
        #expect(session.tick(isHeldBack: true, now: start + .seconds(5)) == [.abort(closure)])
    }

    @Test("A violation closes with its code, after the messages before it")
    func violation() {
        var session = session()
        let actions = receive(&session, [0x82, 1, 1, 0xF0, 0])
        #expect(actions.count == 3)
        #expect(actions.first == .deliver([.binary([1])]))
        guard case .close(let closure) = actions.dropFirst().first else { return }
        #expect(closure.code == .protocolError && closure.initiator == .local)
        #expect(actions.last == .end(closure))
    }

    @Test("A lost connection has code 1006")
    func lost() {
        var session = session()
        #expect(session.disconnected("gone") == [.abort(.lost("gone"))])
        #expect(WebSocketClosure.lost("").code == .abnormalClosure)
    }

    @Test("A ping is sent after silence, and the socket is lost without a response")
    func pings() {
        var session = session {
            $0.pingInterval = .seconds(300)
            $0.pingTimeout = .seconds(20)
        }
        #expect(session.tick(isHeldBack: false, now: start + .seconds(299)).isEmpty)
        #expect(session.tick(isHeldBack: false, now: start + .seconds(300)) == [.ping])
        #expect(session.tick(isHeldBack: false, now: start + .seconds(319)).isEmpty)
        #expect(receive(&session, [0x8A, 0], after: .seconds(319)).isEmpty)
        #expect(session.tick(isHeldBack: false, now: start + .seconds(618)).isEmpty)
        #expect(session.tick(isHeldBack: false, now: start + .seconds(619)) == [.ping])
        guard case .abort(let closure) = session.tick(isHeldBack: false, now: start + .seconds(639)).first else {
            Issue.record("The socket is not lost.")
            return
        }
        #expect(closure.initiator == .lost)
    }

    @Test("Silence counts only while the socket is read")
    func heldBack() {
        var session = session { $0.idleTimeout = .seconds(10) }
        #expect(session.tick(isHeldBack: true, now: start + .seconds(60)).isEmpty)
        #expect(session.tick(isHeldBack: false, now: start + .seconds(69)).isEmpty)
        #expect(!session.tick(isHeldBack: false, now: start + .seconds(70)).isEmpty)
    }
}
