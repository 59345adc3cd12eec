/// What some documents took.
struct Cost {
    /// Processor time, in seconds.
    let processor: Double
    let wall: Duration
    let documents: Int

    /// Of processor time, for one document.
    var microseconds: Double { processor * 1e6 / Double(documents) }

    /// Documents a second of wall time.
    var rate: Double {
        let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
        return Double(documents) / max(seconds, 1e-9)
    }
}
