/// The bounds that the bridge has to keep. Beside them stand rules without a number: no edit is lost or made up, the store is sound, SIGTERM ends the process.
package struct SoakBounds: Sendable {
    /// Resident memory at most, in MiB.
    package var memory = 600

    /// The share by which memory may grow between the second quarter of a run and the last.
    package var growth = 0.15

    /// Ninety-nine of a hundred small GETs are faster while there is no trouble.
    package var read = Duration.milliseconds(250)

    /// Ninety-nine of a hundred writes are faster while there is no trouble.
    package var write = Duration.seconds(5)

    /// Any small GET, whatever the trouble, but where the process was killed.
    package var worstRead = Duration.seconds(10)

    /// Descriptors that may be open besides those from before the clients came: of readers of the store, of connections to the admin port.
    package var descriptors = 32

    /// Until the feeds have told everything after the last write, and until the descriptors of clients that left are closed.
    package var settling = Duration.seconds(60)

    /// From SIGTERM to the end.
    package var ending = Duration.seconds(10)

    package init() {}
}
