/// The devices that were seen within the last hour, with their sides.
package struct DeviceSightings: Sendable {
    /// The most devices that are remembered; more are not counted.
    package static let limit = 100_000

    private struct Entry {
        var side: DeviceSide
        var time: Int64
        let user: Int?

        /// The side on which the device has last read a feed; `nil` if it has read none.
        var feedSide: DeviceSide?

        /// Whether the device has read a feed from a position on that side.
        var hasPosition = false
    }

    /// By a hash of the device.
    private var entries: [Int: Entry] = [:]

    package init() {}

    /// Records a request of a device.
    ///
    /// - Parameters:
    ///   - device: A hash of the device's user, address and software.
    ///   - user: A hash of the user; `nil` for the guest.
    ///   - position: If the request reads a feed: whether it reads from a position, not from the beginning.
    ///   - time: In seconds, by a clock that never goes back.
    /// - Returns: Whether the device reads a feed anew after it has changed sides, although it had a position.
    package mutating func record(_ device: Int, user: Int?, on side: DeviceSide, from position: Bool?, at time: Int64) -> Bool {
        guard entries[device] != nil || hasSpace(at: time) else { return false }
        var entry = entries[device] ?? Entry(side: side, time: time, user: user)
        defer { entries[device] = entry }
        (entry.side, entry.time) = (side, time)
        guard let position else { return false }
        let isOtherFeed = entry.feedSide != side
        defer { (entry.feedSide, entry.hasPosition) = (side, position || !isOtherFeed && entry.hasPosition) }
        return isOtherFeed && entry.hasPosition && !position
    }

    /// The number of users and of devices of each side.
    package func counts(at time: Int64) -> [DeviceSide: (users: Int, devices: Int)] {
        var users: [DeviceSide: Set<Int>] = [:]
        var devices: [DeviceSide: Int] = [:]
        for entry in entries.values where entry.time > time - GroupWindow.span {
            devices[entry.side, default: 0] += 1
            if let user = entry.user { users[entry.side, default: []].insert(user) }
        }
        return devices.mapValues { (0, $0) }.merging(users.mapValues { ($0.count, 0) }) { ($1.users, $0.devices) }
    }

    private mutating func hasSpace(at time: Int64) -> Bool {
        if entries.count < Self.limit { return true }
        entries = entries.filter { $0.value.time > time - GroupWindow.span }
        return entries.count < Self.limit
    }
}
