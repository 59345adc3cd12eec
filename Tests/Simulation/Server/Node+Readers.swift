import Access
import Storage

extension Node {
    /// Creates a user, or has him see other channels from now on.
    func set(_ channels: Set<String>, of reader: Reader) async throws {
        var change = AccountChange()
        change.channels = channels
        try await Accounts(store).put(.user(reader.name), change)
        reader.channels = channels
    }
}
