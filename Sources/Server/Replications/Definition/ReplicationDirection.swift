/// Which way documents go, seen from the database that the replication belongs to.
public enum ReplicationDirection: String, Hashable, Sendable, CaseIterable {
    case push
    case pull
    case pushAndPull = "push-and-pull"

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}
