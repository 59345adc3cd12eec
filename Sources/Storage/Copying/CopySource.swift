/// A store from which a copy is made while it may be served. One thread uses it, and its calls block.
///
/// While a copy is being made, triggers note the key of each changed row in a journal, whichever process changes it. So a copy finds every change
/// without knowledge of the tables.
package protocol CopySource: AnyObject {
    /// The place, for messages.
    var place: String { get }

    /// The present copy from this store; `nil` if there is none. Within the work of a snapshot, it is read in the snapshot.
    func outgoing() throws -> OutgoingCopy?

    /// The mark of a store that was moved; `nil` if it was not.
    func moved() throws -> MovedMark?

    /// Begins to note changes.
    func begin(_ copy: OutgoingCopy) throws

    /// Runs `work` on a snapshot. Does not wait for writers.
    func withSnapshot<Value>(_ work: (any JournaledSnapshot) throws -> Value) throws -> Value

    /// Runs `work` on the last state while all writers wait, and marks the store as moved in the same transaction if `work` returns a mark.
    func withWritersWaiting(_ work: (any JournaledSnapshot) throws -> MovedMark?) throws

    /// Forgets the changes up to a number.
    func forgetChanges(upTo number: Int64) throws

    /// Ends the noting of changes, and removes all that ``begin(_:)`` has added. Does nothing without a copy.
    func end() throws

    /// Removes the mark of a moved store, and raises the fence, because clients may have sequences of the new place.
    func release() throws

    func close()
}
