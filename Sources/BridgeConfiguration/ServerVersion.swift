/// The version that the bridge gives of itself.
public enum ServerVersion {
    public static let current = "0.1.0"
}
