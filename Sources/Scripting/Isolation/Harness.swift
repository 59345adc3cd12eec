/// The JavaScript around every function. It removes unneeded globals, freezes the others, defines the host functions of the function's kind, and
/// converts each call's outcome into one string.
///
/// An outcome is a letter and a text: `E` an exception (line, `:`, column, `:`, text), `M` out of memory, `L` a result over the limit, `B` a bad
/// result (text). The other letters are specific to the kinds and documented there. This format needs no JSON parser in Swift.
enum Harness {
    /// The source URL of the function in JavaScript, which distinguishes its errors' lines from the harness's.
    static let functionName = "function"

    /// An expression whose value is `function (kind, resultLimit, stringLimit)`, which returns `function bind(value, isException)`. `bind`
    /// converts a function into the callable one, and other values or an exception of the script's evaluation into an outcome.
    static let source = #"""
        (function (kind, resultLimit, stringLimit) {
        "use strict";
        const functionName = "\#(functionName)";
        const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
        const { freeze, keys } = Object, { isArray } = Array, { stringify, parse } = JSON, { parse: parseDate } = Date;
        const { slice, startsWith, indexOf, normalize } = String.prototype, { test } = RegExp.prototype;
        const { trunc } = Math, { toString: describeKind } = Object.prototype;
        const OutOfMemory = RangeError, BadType = TypeError, AnyError = Error, Text = String, Numeric = Number, Pending = Promise, global = globalThis;

        """# + realm + outcomes + kinds + resolvers + #"""

            const make = { predicate, filter, sync, resolver }[kind];
            harden();

            return function (value, isException) {
                if (isException) return failure(value);
                if (typeof value !== "function") return "Bthe script is not a function, but " + (value === null ? "null" : typeof value);
                const type = apply(describeKind, value, []);
                if (type !== "[object Function]") return "Bthe script must be a plain function, but is " + type;
                freeze(value);
                if (value.prototype) freeze(value.prototype);
                const call = make(value);
                return function (a, b, c, d, e) {
                    try {
                        return call(a, b, c, d, e);
                    } catch (error) {
                        return failure(error);
                    } finally {
                        for (const key in global) deleteProperty(global, key);
                    }
                };
            };
            })
            """#
}

extension Harness {
    /// Converts failures to outcomes. Thrown values are described without trusting them: a getter that throws is caught here, and a getter that
    /// loops is terminated by the time limit.
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
