/// Where the items of an array or a dictionary lie.
struct FleeceItems {
    /// Where the first is.
    let first: Int

    /// How many there are, keys and values each on their own.
    let count: Int

    /// Bytes of each: 2 or 4.
    let width: Int

    func offset(_ index: Int) -> Int { first + index * width }

    /// Where an item ends that is not a pointer.
    func end(_ index: Int) -> Int { first + (index + 1) * width }
}
