import Storage

extension AccountEditor {
    /// Since when somebody has what he is given now.
    ///
    /// A feed goes back for a channel's older documents if its place is before the grant. Nobody can hold such a place where no device has read a
    /// feed or pushed yet, nor can the devices of a user who is new here: those have places in the feed of the server that they come from, and what they had
    /// there is learned when they come. So the grant counts from the beginning.
    ///
    /// - Parameters:
    ///   - isMoving: whether the user is new here, and comes from another server.
    ///   - now: the sequence of this change.
    func since(_ grantee: Grantee, isMoving: Bool, now: @autoclosure () throws -> Sequence) throws -> Sequence {
        if try !transaction.hasReaders { return .zero }
        guard isMoving, grantee.kind == .user, try transaction.upstream() != nil else { return try now() }
        // A name that was there before may have devices here.
        let isKnown = try transaction.grants(to: grantee).contains { $0.giver != .document }
        return isKnown ? try now() : .zero
    }
}
