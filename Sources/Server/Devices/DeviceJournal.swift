import Cutover
import Documents
import HTTP
import Storage

/// The rules that an administrator has set on the admin port, in the store.
///
/// They hold until the configuration file has other rules than when they were set: the latest edit wins.
struct DeviceJournal: Sendable {
    private static let setting = "cutover.devices"

    let store: any Store

    /// The rules that hold now.
    ///
    /// - Parameter configured: The rules of the configuration.
    func rules(configured: DeviceRules) async throws -> DeviceRules {
        let stored = try await store.read { try $0.setting(Self.setting) }
        guard let stored, let value = try? JSONValue(Array(stored.utf8)), let base = value["base"].flatMap({ try? DeviceRules($0) }),
            let rules = value["rules"].flatMap({ try? DeviceRules($0) })
        else { return configured }
        return base == configured ? rules : configured
    }

    func persist(_ rules: DeviceRules, configured: DeviceRules) async throws {
        var bytes: [UInt8] = []
        JSONValue.object([JSONMember("base", configured.json), JSONMember("rules", rules.json)]).append(to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        try await store.write { try $0.set(text, forSetting: Self.setting) }
    }
}
