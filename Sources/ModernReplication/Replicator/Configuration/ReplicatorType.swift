/// Which way documents go.
public enum ReplicatorType: String, Sendable, CaseIterable {
    case pushAndPull = "push-and-pull"
    case push
    case pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}
