extension Harness {
    /// Failures as outcomes. What a script throws is described without trusting it: a getter that throws is caught here, one that loops
    /// ends with the time limit.
    static let outcomes = #"""
        function shorten(text) {
            return text.length > 1000 ? apply(slice, text, [0, 1000]) + "..." : text;
        }

        function place(number) {
            return typeof number === "number" && number > 0 && number < 1e9 ? trunc(number) : 0;
        }

        function failure(error) {
            let line = 0, column = 0, text = "a value that cannot be described";
            try {
                if (error instanceof AnyError) {
                    if (error.sourceURL === functionName) {
                        line = place(error.line);
                        column = place(error.column);
                    }
                    const message = Text(error.message);
                    if (error instanceof OutOfMemory && apply(startsWith, message, ["Out of memory"])) return "M" + shorten(message);
                    text = Text(error.name) + ": " + message;
                } else if (typeof error === "object" && error !== null) {
                    text = "an object was thrown: " + (stringify(error) || Text(error));
                } else if (typeof error === "string") {
                    text = error;
                } else {
                    text = Text(error) + " was thrown";
                }
            } catch (_) {}
            return "E" + line + ":" + column + ":" + shorten(text);
        }

        """#
}
