#!/usr/bin/env python3
"""Writes docs/commands.md from what `dualgauge --experimental-dump-help` prints, or compares the page with it.

    dualgauge --experimental-dump-help | commands.py docs/commands.md
    dualgauge --experimental-dump-help | commands.py --check docs/commands.md

The exit code of a comparison is 1 if the page is not that of the program.
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from man import described, own, shown, spelled  # noqa: E402

HEAD = """# Commands

<!-- `make commands` writes this page from the program's own help. Change the texts in Sources/dualgauge. -->

"""


OPTION = r"--?[a-zA-Z][\w-]*(?: [A-Z]{2,}\b)?"
# Options with the values behind them, names with underscores, and calls of functions.
CODE = re.compile(rf"(?<![\w-]){OPTION}(?: {OPTION})*|(?<![\w.])[\w.]*_[\w.]*\w|\b\w+\(\)")


def prose(text):
    """A paragraph as Markdown: options and names as code, and nothing taken for markup."""
    parts = text.split("`")
    for index in range(0, len(parts), 2):
        place, shown = 0, ""
        for match in CODE.finditer(parts[index]):
            shown += plain(parts[index][place:match.start()]) + f"`{match.group()}`"
            place = match.end()
        parts[index] = shown + plain(parts[index][place:])
    return "`".join(parts)


def plain(text):
    return re.sub(r"([\\*_<>\[\]|])", r"\\\1", text)


def explained(text):
    """What stands beside an option. Its default value is code."""
    return prose(re.sub(r"The default is ([^`\s]+)\.(?= One of |$)", r"The default is `\1`.", " ".join(text.split())))


def paragraphs(text):
    """Paragraphs, and indented lines as blocks of code. Exit codes are a list."""
    blocks = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        if all(line.startswith("  ") for line in lines):
            blocks.append("```sh\n" + "\n".join(line[2:] for line in lines) + "\n```")
        elif lines[0].startswith("Exit codes: "):
            blocks.append(codes(lines[0]))
        else:
            blocks.append(prose(" ".join(lines)))
    return "\n\n".join(blocks)


def codes(line):
    """`Exit codes: 0 done; 1 done in part.` as a table."""
    entries = re.split(r"[;,] (?=\d )", line.removeprefix("Exit codes: ").rstrip("."))
    rows = [entry.split(" ", 1) for entry in entries]
    return table(["exit code", "meaning"], [[f"{number}", prose(meaning)] for number, meaning in rows])


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def value(argument):
    """What is replaced. `DATABASE NAME` is one argument to the program, and two words to the reader."""
    name = argument["valueName"].replace("> <", " ").upper()
    return name + "..." if argument["kind"] == "positional" and argument["isRepeating"] and " " not in name else name


def label(argument):
    if argument["kind"] == "positional":
        return cell(value(argument))
    names = [spelled(name) for name in argument["names"]]
    if argument["kind"] == "option":
        names[-1] += " " + value(argument)
    return ", ".join(cell(name) for name in names)


def cell(code):
    """Code in a table."""
    return "`" + code.replace("|", "\\|") + "`"


def key(group):
    return json.dumps(group, sort_keys=True)


def usage(path, command, heritage):
    words = [" ".join(path)]
    for argument in own(command):
        if argument["kind"] == "positional":
            isLeft = argument["isOptional"] and " " not in value(argument)
            words.append(f"[{value(argument)}]" if isLeft else value(argument))
    if any(argument["kind"] != "positional" for argument in own(command)) or heritage:
        words.append("[OPTIONS]")
    if shown(command, "subcommands"):
        words = [" ".join(path), "COMMAND"]
    return "```text\n" + " ".join(words) + "\n```"


def section(path, command, common, level):
    blocks = [f"{'#' * level} {' '.join(path)}", prose(command.get("abstract", "")), usage(path, command, common)]
    blocks.append(paragraphs(command.get("discussion", "")))
    subs = [sub for sub in shown(command, "subcommands") if sub["commandName"] != "help"]
    if subs:
        blocks.append(index(path, subs))
    else:
        groups = [group for group in described(own(command)) if key(group) not in common]
        rows = [[", ".join(label(argument) for argument in arguments), explained(text)] for arguments, text in groups]
        if rows:
            blocks.append(table(["option or argument", "meaning"], rows))
    blocks += [section(path + [sub["commandName"]], sub, common, level + 1) for sub in subs]
    return "\n\n".join(block for block in blocks if block)


def index(path, commands):
    rows = []
    for command in commands:
        name = " ".join(path + [command["commandName"]])
        rows.append([f"[`{name}`](#{name.replace(' ', '-')})", prose(command.get("abstract", ""))])
    return table(["command", "purpose"], rows)


def leaves(command):
    subs = [sub for sub in shown(command, "subcommands") if sub["commandName"] != "help"]
    return [leaf for sub in subs for leaf in leaves(sub)] if subs else [command]


def page(program):
    root = [program["commandName"]]
    commands = [command for command in shown(program, "subcommands") if command["commandName"] != "help"]
    # What all commands have stands once, at the head.
    sets = [{key(group): group for group in described(own(leaf))} for leaf in leaves(program)]
    common = {name: group for name, group in sets[0].items() if all(name in each for each in sets)}
    rows = [[", ".join(label(argument) for argument in arguments), explained(text)] for arguments, text in common.values()]
    inherited = [argument for argument in shown(program, "arguments") if argument["valueName"] in ("help", "version")]
    rows += [[", ".join(label(argument) for argument in arguments), explained(text)] for arguments, text in described(inherited)]
    blocks = [
        prose(program.get("abstract", "")), paragraphs(program.get("discussion", "")), index(root, commands),
        "## Options of all commands", table(["option", "meaning"], rows)]
    blocks += [section(root + [command["commandName"]], command, common, 2) for command in commands]
    return HEAD + "\n\n".join(blocks) + "\n"


def main(arguments):
    text = page(json.load(sys.stdin)["command"])
    if arguments[0] != "--check":
        with open(arguments[0], "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(arguments[1], encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print(f"{arguments[1]} is not the page of this program. Build the program, then run `make commands`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    if len(sys.argv) - (sys.argv[1:2] == ["--check"]) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
