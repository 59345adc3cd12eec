/// Assembles messages and control frames from a WebSocket's bytes, in chunks of any size. Without side effects.
///
/// Payloads are copied once, from the socket's buffer into the message, and unmasked in place.
struct WebSocketReader {
    enum Event: Equatable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong
        case close(code: WebSocketCloseCode, reason: String)
    }

    private let role: WebSocketRole
    private let frameSize: Int
    private let messageSize: Int

    /// The bytes of an incomplete header.
    private var partialHeader: [UInt8] = []
    /// The frame whose payload is being read, and the number of bytes read of it.
    private var frame: WebSocketFrameHeader?
    private var position = 0
    /// The message that is being assembled, and its kind once its first frame has begun.
    private var message: [UInt8] = []
    private var kind: WebSocketMessage.Kind?
    private var control: [UInt8] = []

    /// - Parameter role: This side's role, which determines whether received frames must be masked.
    init(role: WebSocketRole, frameSize: Int, messageSize: Int) {
        self.role = role
        self.frameSize = frameSize
        self.messageSize = messageSize
    }

    /// Parses bytes and appends the completed messages and frames to `events`.
    ///
    /// - Throws: ``WebSocketViolation``. `events` then contains everything before the violation, and no more bytes may be passed.
    mutating func read(_ bytes: UnsafeRawBufferPointer, into events: inout [Event]) throws(WebSocketViolation) {
        var rest = bytes[...]
        while true {
            if frame == nil {
                guard try readHeader(&rest) else { return }
            }
            guard let frame else { return }
            let count = min(frame.length - position, rest.count)
            append(rest.prefix(count), of: frame)
            rest = rest.dropFirst(count)
            position += count
            guard position == frame.length else { return }
            self.frame = nil
            try finish(frame, into: &events)
        }
    }

    /// Parses a frame's header; returns false if it is incomplete.
    private mutating func readHeader(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(WebSocketViolation) -> Bool {
        let header: WebSocketFrameHeader
        if partialHeader.isEmpty, rest.count >= 2, rest.count >= WebSocketFrameHeader.size(rest[rest.startIndex], rest[rest.startIndex + 1])
        {
            let size = WebSocketFrameHeader.size(rest[rest.startIndex], rest[rest.startIndex + 1])
            header = try WebSocketFrameHeader(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
            rest = rest.dropFirst(size)
        } else {
            while partialHeader.count < 2 || partialHeader.count < WebSocketFrameHeader.size(partialHeader[0], partialHeader[1]) {
                guard let byte = rest.popFirst() else { return false }
                partialHeader.append(byte)
            }
            let result = partialHeader.withUnsafeBytes { bytes in
                Result { () throws(WebSocketViolation) in try WebSocketFrameHeader(bytes) }
            }
            header = try result.get()
            partialHeader.removeAll(keepingCapacity: true)
        }
        try begin(header)
        return true
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
        guard (header.mask != nil) == (role == .server) else {
            throw .malformed(role == .server ? "a frame without a mask" : "a frame with a mask")
        }
        switch header.opcode {
        case .text, .binary:
            guard kind == nil else { throw .malformed("a new message before the end of the previous message") }
            kind = header.opcode == .text ? .text : .binary
        case .continuation:
            guard kind != nil else { throw .malformed("a continuation frame without a message") }
        case .close, .ping, .pong: break
        }
        guard header.length <= frameSize else { throw .tooBig("a frame of more than \(frameSize) bytes") }
        if !header.opcode.isControl {
            guard header.length <= messageSize - message.count else { throw .tooBig("a message of more than \(messageSize) bytes") }
            // The length in the header is not trusted: reserve only a limited amount.
            message.reserveCapacity(message.count + min(header.length, 64 * 1024))
        }
        frame = header
        position = 0
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>, of frame: WebSocketFrameHeader) {
        if frame.opcode.isControl {
            Self.append(bytes, to: &control, frame.mask, at: position)
        } else {
            Self.append(bytes, to: &message, frame.mask, at: position)
        }
    }

    private static func append(
        _ bytes: Slice<UnsafeRawBufferPointer>, to payload: inout [UInt8], _ mask: WebSocketMask?, at position: Int
    ) {
        guard !bytes.isEmpty else { return }
        let start = payload.count
        payload.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes))
        guard let mask else { return }
        payload.withUnsafeMutableBytes { payload in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: payload[start...]), at: position)
        }
    }

    private mutating func finish(_ frame: WebSocketFrameHeader, into events: inout [Event]) throws(WebSocketViolation) {
        switch frame.opcode {
        case .text, .binary, .continuation:
            guard frame.isFinal, let kind else { return }
            let bytes = message
            message = []
            self.kind = nil
            guard kind == .binary || bytes.isUTF8 else { throw .notText }
            events.append(.message(WebSocketMessage(kind, bytes: bytes)))
        case .ping: events.append(.ping(removeControl()))
        case .pong:
            control = []
            events.append(.pong)
        case .close: events.append(try Self.close(removeControl()))
        }
    }

    private mutating func removeControl() -> [UInt8] {
        defer { control = [] }
        return control
    }

    private static func close(_ payload: [UInt8]) throws(WebSocketViolation) -> Event {
        guard !payload.isEmpty else { return .close(code: .noStatus, reason: "") }
        guard payload.count >= 2 else { throw .malformed("a close code of one byte") }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else { throw .malformed("the close code \(code)") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .notText }
        return .close(code: code, reason: reason)
    }
}

extension [UInt8] {
    fileprivate var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}

/// A peer's violation of the WebSocket protocol or of a limit, with the code and reason for closing the socket.
struct WebSocketViolation: Error, Equatable {
    let code: WebSocketCloseCode
    let reason: String

    static func malformed(_ reason: String) -> Self { Self(code: .protocolError, reason: reason) }
    static func tooBig(_ reason: String) -> Self { Self(code: .messageTooBig, reason: reason) }
    static let notText = Self(code: .invalidText, reason: "text that is not UTF-8")
}
