@testable import BLIP

extension BLIPEvent {
    /// The complete message, if it is one.
    var message: BLIPMessage? {
        switch self {
        case .request(let message), .reply(let message): message
        case .replyPart: nil
        }
    }

    /// The part of a reply, if it is one.
    var part: BLIPReplyPart? {
        if case .replyPart(let part) = self { part } else { nil }
    }
}

extension BLIPMessage {
    /// The body as text.
    var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
