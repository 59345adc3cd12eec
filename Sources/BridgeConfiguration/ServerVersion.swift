/// The version that the bridge gives of itself.
package enum ServerVersion {
    package static let current = "0.1.0"
}
