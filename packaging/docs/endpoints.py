"""Pages that one can read, made from the description of the HTTP endpoints in docs/api/openapi.yaml."""

import json
import re

import yaml

METHODS = ["get", "head", "put", "post", "delete", "patch", "options"]
LOGINS = {"adminPassword": "name and password", "adminCertificate": "client certificate"}


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def cell(text):
    """Text on one line of a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def split(text):
    """The first paragraph, which fits into a table, and the rest, which may have lists and tables."""
    first, _, rest = text.strip().partition("\n\n")
    return (cell(first), rest) if not first.startswith(("|", "-")) else ("", text.strip())


class Pages:
    def __init__(self, text):
        self.api = yaml.safe_load(text)
        self.components = self.api["components"]

    # MARK: References

    def resolved(self, item):
        """What a reference names, and its name."""
        if "$ref" not in item:
            return item, None
        kind, name = item["$ref"].removeprefix("#/components/").split("/")
        return {**self.components[kind][name], **{key: value for key, value in item.items() if key != "$ref"}}, name

    @staticmethod
    def link(name, page=""):
        return f"[{name}]({page}#schema-{name.lower()})"

    def kind(self, schema, page):
        """The type of a schema in a few words."""
        if schema is True or schema == {}:
            return "any value"
        if "$ref" in schema:
            return self.link(schema["$ref"].rsplit("/", 1)[1], page)
        for key, word in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
            if key in schema:
                return word.join(self.kind(each, page) for each in schema[key])
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
        types = schema.get("type", "any value")
        types = types if isinstance(types, list) else [types]
        words = []
        for each in types:
            if each == "array":
                words.append("array of " + self.kind(schema.get("items", {}), page))
            elif each == "object" and isinstance(schema.get("additionalProperties"), dict) and not schema.get("properties"):
                words.append("object; each member: " + self.kind(schema["additionalProperties"], page))
            else:
                words.append(each)
        return " or ".join(words) + self.bounds(schema)

    @staticmethod
    def bounds(schema):
        """Limits of a value."""
        words = []
        for low, high, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items")):
            if low in schema and high in schema:
                words.append(f"{schema[low]} to {schema[high]}{unit}")
            elif low in schema and (unit == "" or schema[low] > 1):
                words.append(f"{schema[low]}{unit} or more")
            elif high in schema:
                words.append(f"at most {schema[high]}{unit}")
        if "format" in schema:
            words.append(schema["format"])
        return f" ({', '.join(words)})" if words else ""

    @staticmethod
    def default(schema):
        return f" The default is `{json.dumps(schema['default'])}`." if isinstance(schema, dict) and "default" in schema else ""

    # MARK: Schemas

    def members(self, schema, page, prefix=""):
        """The rows of an object's members, those of objects within it included."""
        rows = []
        required = schema.get("required", [])
        for name, each in schema.get("properties", {}).items():
            label = prefix + name
            meaning = cell(each.get("description", "")) if isinstance(each, dict) else ""
            if isinstance(each, dict):
                meaning = (meaning + self.default(each) + (" Deprecated." if each.get("deprecated") else "")).strip()
            rows.append([f"`{label}`", cell(self.kind(each, page)), "yes" if name in required else "", meaning])
            if isinstance(each, dict) and "properties" in each:
                rows += self.members(each, page, label + ".")
            elif isinstance(each, dict) and isinstance(each.get("items"), dict) and "properties" in each["items"]:
                rows += self.members(each["items"], page, label + "[].")
        for each in schema.get("allOf", []):
            if "$ref" not in each:
                rows += self.members(each, page, prefix)
        return rows

    def content(self, schema, page):
        """The blocks that describe a schema, beside its type."""
        items = schema.get("items") if schema.get("type") == "array" and isinstance(schema.get("items"), dict) else None
        rows = self.members(schema, page) if items is None else self.members(items, page, "[].")
        blocks = [table(["member", "type", "required", "meaning"], rows)] if rows else []
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and rows:
            note = f" {cell(extra['description'])}" if extra.get("description") else ""
            blocks.append(f"Other members: {self.kind(extra, page)}.{note}")
        elif extra is False and rows:
            blocks.append("There are no other members.")
        return blocks

    def schemas(self):
        blocks = [
            "# Schemas of the HTTP API",
            "The bodies that requests send and answers have. [HTTP API](endpoints.md) has the endpoints. "
            "[openapi.yaml](openapi.yaml) is the source of both pages."]
        for name, schema in sorted(self.components["schemas"].items()):
            blocks += [f"(schema-{name.lower()})=\n## {name}", schema.get("description", "").strip()]
            if not ("properties" in schema or "allOf" in schema):
                blocks.append(f"Type: {self.kind(schema, '')}.{self.default(schema)}")
            elif "allOf" in schema:
                references = [self.kind(each, "") for each in schema["allOf"] if "$ref" in each]
                if references:
                    blocks.append(f"All of {' and '.join(references)}.")
            blocks += self.content(schema, "")
            for alternative in schema.get("oneOf", []) + schema.get("anyOf", []):
                if "$ref" not in alternative and "properties" in alternative:
                    blocks += self.content(alternative, "")
            if "pattern" in schema:
                blocks.append(f"Pattern: `{schema['pattern']}`")
        return "\n\n".join(block for block in blocks if block) + "\n"

    # MARK: Operations

    def login(self, operation):
        """Who may call, by port."""
        names = {name: scopes for each in operation["security"] for name, scopes in each.items()}
        role = next((scopes[0] for name, scopes in names.items() if name.startswith("admin") and scopes), None)
        isFree = {} in operation["security"]
        words = []
        if "Public port" in operation["tags"]:
            words.append("public port: a user, or the guest" if "userPassword" in names else "public port: everybody")
        if "Admin port" in operation["tags"]:
            words.append(f"admin port: the role `{role}`" if role else "admin port: everybody")
        assert role or isFree or "userPassword" in names, operation["operationId"]
        return "; ".join(words)

    def parameters(self, item, operation):
        rows, rests = [], []
        for each in item.get("parameters", []) + operation.get("parameters", []):
            parameter, _ = self.resolved(each)
            first, rest = split(parameter.get("description", ""))
            schema = parameter.get("schema", {})
            rows.append([
                f"`{parameter['name']}`", parameter["in"], cell(self.kind(schema, "schemas.md")),
                (first + self.default(schema) + (" Required." if parameter.get("required") and parameter["in"] != "path" else "")).strip()])
            if rest:
                rests.append(f"`{parameter['name']}`:\n\n{rest}")
        return ([table(["parameter", "in", "type", "meaning"], rows)] if rows else []) + rests

    def media(self, content):
        """The media types of a body, each with the type of its content, and tables of what has no name of its own."""
        words, blocks = [], []
        for media, each in content.items():
            schema = each.get("schema", {})
            note = f": {cell(schema['description'])}" if "$ref" not in schema and schema.get("description") else ""
            words.append(f"`{media}`: {self.kind(schema, 'schemas.md')}" if not note else f"`{media}`{note}")
            if "$ref" not in schema:
                blocks += self.content(schema, "schemas.md")
        return words, blocks

    def body(self, operation):
        if "requestBody" not in operation:
            return []
        body, _ = self.resolved(operation["requestBody"])
        words, blocks = self.media(body.get("content", {}))
        need = "The body is required." if body.get("required") else "The body is optional."
        return [f"**Body.** {need} {body.get('description', '').strip()}".strip(), "\n".join(f"- {word}" for word in words)] + blocks

    def answers(self, operation):
        rows, rests = [], []
        for status, each in operation["responses"].items():
            answer, name = self.resolved(each)
            first, rest = split(answer.get("description", ""))
            words, blocks = self.media(answer.get("content", {}))
            headers = [f"`{header}`" for header in answer.get("headers", {})]
            text = first + (f" Headers: {', '.join(headers)}." if headers else "")
            label = "others" if status == "default" else str(status)
            if name:
                text = f"{text} [More](#answer-{name.lower()})." if rest or blocks else text
            elif rest or blocks:
                rests += [f"Status {label}:", rest] + blocks
            rows.append([label, text, cell("; ".join(words))])
        return [table(["status", "meaning", "body"], rows)] + [block for block in rests if block]

    def operations(self):
        for path, item in self.api["paths"].items():
            for method in METHODS:
                if method in item and not (method == "head" and "get" in item):
                    yield path, item, method, item[method]

    @staticmethod
    def title(item, method, path):
        methods = "GET, HEAD" if method == "get" and "head" in item else method.upper()
        return f"{methods} {path}"

    def endpoints(self):
        info = self.api["info"]
        blocks = [
            "# HTTP API", info["summary"],
            "This page is made from [openapi.yaml](openapi.yaml) (OpenAPI 3.1). [Schemas](schemas.md) has the bodies.",
            info["description"].strip(), "## Ports",
            table(["port", "use"], [[tag["name"], cell(tag["description"])] for tag in self.api["tags"]]),
            table(["login", "meaning"], [[f"`{name}`", cell(each["description"])] for name, each in self.components["securitySchemes"].items()]),
            "## All endpoints"]
        ports = {("Public port", "Admin port"): "both", ("Public port",): "public", ("Admin port",): "admin"}
        rows = []
        for path, item, method, operation in self.operations():
            port = ports[tuple(operation["tags"])]
            title = f"[`{self.title(item, method, path)}`](#operation-{operation['operationId'].lower()})"
            rows.append([title, port, cell(operation["summary"])])
        blocks.append(table(["endpoint", "port", "purpose"], rows))
        last = None
        for path, item, method, operation in self.operations():
            if path != last:
                blocks.append(f"## {path}")
                last = path
            blocks += [f"(operation-{operation['operationId'].lower()})=\n### {self.title(item, method, path)}", operation["summary"]]
            if operation.get("deprecated"):
                blocks.append("Deprecated.")
            blocks += [operation.get("description", "").strip(), f"**Login.** {self.login(operation)}."]
            blocks += self.parameters(item, operation) + self.body(operation) + self.answers(operation)
        blocks += ["## Shared answers"]
        for name, answer in self.components["responses"].items():
            words, more = self.media(answer.get("content", {}))
            blocks += [f"(answer-{name.lower()})=\n### {name}", answer["description"].strip()]
            blocks += ["\n".join(f"- {word}" for word in words)] + more
        return "\n\n".join(block for block in blocks if block) + "\n"
