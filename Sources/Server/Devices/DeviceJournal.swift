import Cutover
import Documents
import Gateway
import HTTP
import Storage

/// The rules for devices with their last change.
struct DeviceState: Hashable, Sendable {
    var rules: DeviceRules

    /// The rules before the last change that moved more devices; `nil` if there was none, or if the guard has taken it back.
    var earlier: DeviceRules?

    /// Why no more devices are moved; `nil` if they may be.
    var halt: DeviceHalt?

    /// Whether the rules were set on the admin port, and not by the configuration.
    var isRecorded = false

    /// The rules before the last change, as far as they are known. A configuration does not tell its former rules.
    var before: DeviceRules { isRecorded ? earlier ?? rules : DeviceRules() }
}

/// The guard's decision that no more devices are moved, until an operator resumes.
struct DeviceHalt: Hashable, Sendable {
    /// In milliseconds since 1970.
    let time: Int64
    let reason: String

    /// Whether the last change has still to be taken back: a gate is closed.
    var isPending: Bool

    var json: JSONValue {
        .object([
            JSONMember("time", .string(Timestamp.rfc3339(milliseconds: time))), JSONMember("reason", .string(reason)),
            JSONMember("pending", .bool(isPending)),
        ])
    }
}

/// The rules that an administrator or the guard has set, in the store.
///
/// They hold until the configuration file has other rules than when they were set: the latest edit wins.
struct DeviceJournal: Sendable {
    static let setting = "cutover.devices"

    let store: any Store

    /// The state that holds now.
    ///
    /// - Parameter configured: The rules of the configuration.
    func state(configured: DeviceRules) async throws -> DeviceState {
        let stored = try await store.read { try $0.setting(Self.setting) }
        guard let stored, let value = try? JSONValue(Array(stored.utf8)), let base = value["base"].flatMap({ try? DeviceRules($0) }),
            let rules = value["rules"].flatMap({ try? DeviceRules($0) }), base == configured
        else { return DeviceState(rules: configured) }
        var state = DeviceState(rules: rules)
        state.isRecorded = true
        state.earlier = value["earlier"].flatMap { try? DeviceRules($0) }
        if let halt = value["halt"], let time = halt["time"]?.int, let reason = halt["reason"]?.string {
            state.halt = DeviceHalt(time: Int64(time), reason: reason, isPending: halt["pending"]?.bool == true)
        }
        return state
    }

    func persist(_ state: DeviceState, configured: DeviceRules) async throws {
        var members = [JSONMember("base", configured.json), JSONMember("rules", state.rules.json)]
        if let earlier = state.earlier { members.append(JSONMember("earlier", earlier.json)) }
        if let halt = state.halt {
            let halted = [
                JSONMember("time", .number(String(halt.time))), JSONMember("reason", .string(halt.reason)),
                JSONMember("pending", .bool(halt.isPending)),
            ]
            members.append(JSONMember("halt", .object(halted)))
        }
        let text = CutoverAnswer.text(.object(members))
        try await store.write { try $0.set(text, forSetting: Self.setting) }
    }
}
