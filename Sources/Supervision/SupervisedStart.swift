import Documents
import Foundation

/// The parameters that a supervisor passes to the process that it starts, in an environment variable.
package struct SupervisedStart: Hashable, Sendable {
    /// The name of the variable; its value is a JSON object.
    static let variable = "DUALGAUGE_SUPERVISED"

    /// The process's descriptor of the connection to its supervisor. The descriptors of the listening sockets follow.
    static let descriptor: Int32 = 3

    /// The number of restarts.
    package var restarts = 0

    /// The ending of the previous process; `nil` for the first process.
    package var lastReason: String?

    /// The time of the previous process's ending, in seconds since 1970.
    package var lastTime: Int?

    /// Parts of the start that crashed the process twice in a row, and are skipped.
    package var held: Set<StartPart> = []

    /// Parts of the start that may have crashed the previous process, and are started one at a time.
    package var suspects: Set<StartPart> = []

    /// The descriptors of the listening sockets, by name.
    package var sockets: [String: Int32] = [:]

    package init() {}

    /// Records the ending of a process before the next one. A failure to start a process is not recorded.
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
