/// The ordinal of a row in the legacy upstream's feed, valid for as long as what was noted of the feed is not forgotten.
public struct UpstreamPlace: Hashable, Sendable {
    let era: Int64
    let ordinal: Int64
}
