import Documents
import Foundation

/// What a supervisor tells the process that it starts, by an environment variable.
package struct SupervisedStart: Hashable, Sendable {
    /// The variable; its value is a JSON object.
    static let variable = "DUALGAUGE_SUPERVISED"

    /// The descriptor of the process's end of the line to its supervisor. Those of listening sockets follow.
    static let line: Int32 = 3

    /// How often the process was started again.
    package var restarts = 0

    /// How the process before this one ended; `nil` for the first one.
    package var lastReason: String?

    /// When it ended, in seconds since 1970.
    package var lastTime: Int?

    /// Parts of the start that have ended the process twice in a row, and are left out.
    package var held: Set<StartPart> = []

    /// Parts of the start that may have ended the last process, and are started one at a time.
    package var suspects: Set<StartPart> = []

    /// Descriptors of sockets that listen already, by their names.
    package var sockets: [String: Int32] = [:]

    package init() {}

    /// Another process follows. A process that could not be started is none to speak of.
    mutating func follow(_ ending: Ending) {
        if case .unstarted = ending { return }
        restarts += 1
        (lastReason, lastTime) = (ending.reason, Int(Date().timeIntervalSince1970))
    }

    init?(json: String) {
        guard let value = try? JSONValue(Array(json.utf8)), value.members != nil else { return nil }
        func parts(_ key: String) -> Set<StartPart> {
            Set((value[key]?.array ?? []).compactMap { $0.string.flatMap { StartPart($0) } })
        }
        restarts = value["restarts"]?.int ?? 0
        lastReason = value["lastReason"]?.string
        lastTime = value["lastTime"]?.int
        (held, suspects) = (parts("held"), parts("suspects"))
        for socket in value["sockets"]?.members ?? [] {
            sockets[socket.key] = socket.value.int.flatMap(Int32.init(exactly:))
        }
    }

    var json: String {
        func texts(_ parts: Set<StartPart>) -> JSONValue { .array(parts.map(\.description).sorted().map { .string($0) }) }
        var members = [
            JSONMember("restarts", .number(String(restarts))), JSONMember("held", texts(held)), JSONMember("suspects", texts(suspects)),
            JSONMember("sockets", .object(sockets.sorted { $0.key < $1.key }.map { JSONMember($0.key, .number(String($0.value))) })),
        ]
        if let lastReason { members.append(JSONMember("lastReason", .string(lastReason))) }
        if let lastTime { members.append(JSONMember("lastTime", .number(String(lastTime)))) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
