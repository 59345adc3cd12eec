import Documents

/// How much JSON may come of Fleece. A value can be pointed at more than once, so that a little Fleece can make much JSON.
struct FleeceLimits {
    /// The most bytes of JSON.
    var maximumSize = 20 << 20

    /// How many arrays and dictionaries may be nested.
    var maximumDepth = JSONReader.defaultMaximumDepth
}
