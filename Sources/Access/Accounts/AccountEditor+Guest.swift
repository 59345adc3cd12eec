import Documents
import Storage

extension AccountEditor {
    /// The setting that holds what the configuration last said of the guest.
    private static let setting = "access.guest"

    /// Gives the guest what the configuration says, if it says something else than when it was last applied. What was changed on the
    /// admin port meanwhile stays otherwise.
    public func configureGuest(isEnabled: Bool, channels: Set<String>) throws {
        var bytes: [UInt8] = []
        JSONValue.array([.bool(isEnabled)] + channels.sorted().map { .string($0) }).append(to: &bytes)
        let wanted = String(decoding: bytes, as: UTF8.self)
        guard try transaction.setting(Self.setting) != wanted else { return }
        var change = AccountChange()
        change.isDisabled = !isEnabled
        change.channels = channels
        _ = try put(.user(User.guestName), change, isMoving: true)
        try transaction.set(wanted, forSetting: Self.setting)
    }
}
