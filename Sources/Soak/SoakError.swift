/// Why a soak cannot go on, or what a client has met.
package struct SoakError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
