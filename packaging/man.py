#!/usr/bin/env python3
"""Writes man pages from what `dualgauge --experimental-dump-help` prints.

    dualgauge --experimental-dump-help | man.py VERSION FOLDER

dualgauge.1 is the page of the program, and dualgauge-COMMAND.1 the page of each command with its subcommands.
"""

import json
import os
import sys
import time

DATE = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))


def escaped(text):
    """The text for roff: backslashes and hyphens as they are, and no line that begins as a request does."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def paragraphs(text):
    """Paragraphs are filled; lines that are indented, such as examples, stay as they are."""
    lines, is_example = [], False
    for line in text.split("\n"):
        if line.startswith("  ") != is_example:
            is_example = not is_example
            lines.append(".PP\n.nf" if is_example else ".fi")
        lines.append(escaped(line) if line.strip() else ".PP")
    return "\n".join(lines + ([".fi"] if is_example else []))


def shown(command, key):
    return [each for each in command.get(key, []) if each.get("shouldDisplay", True)]


def own(command):
    """The arguments of a command, without those that every command has."""
    return [argument for argument in shown(command, "arguments") if argument["valueName"] not in ("help", "version")]


def spelled(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def label(argument):
    """How an option or an argument is written: bold what is typed, italic what is replaced."""
    value = f"\\fI{escaped(argument['valueName'].replace('> <', ' '))}\\fR"
    if argument["kind"] == "positional":
        return value + ("..." if argument["isRepeating"] else "")
    names = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {value}"


def usage(path, command):
    words = [f"\\fB{escaped(' '.join(path))}\\fR"]
    arguments = own(command)
    if any(argument["kind"] != "positional" for argument in arguments):
        words.append("[\\fIoptions\\fR]")
    for argument in arguments:
        if argument["kind"] == "positional":
            words.append(f"[{label(argument)}]" if argument["isOptional"] else label(argument))
    if shown(command, "subcommands"):
        words.append("\\fIcommand\\fR")
    return " ".join(words)


def is_opposite(argument, of):
    """`--verify` and `--no-verify` come as two flags with one text, as `--enable-login` and `--disable-login` do."""
    if argument["kind"] != "flag" or of["kind"] != "flag":
        return False
    name, first = spelled(argument["preferredName"])[2:], spelled(of["preferredName"])[2:]
    return name == "no-" + first or first.startswith("enable-") and name == first.replace("enable-", "disable-", 1)


def described(arguments):
    """The options and arguments, each with its text. Flags that are opposites of each other stand together."""
    groups = []
    for argument in arguments:
        if groups and is_opposite(argument, of=groups[-1][0][0]):
            groups[-1][0].append(argument)
            continue
        text = argument.get("abstract", "")
        if argument.get("defaultValue"):
            text += f" The default is {argument['defaultValue']}."
        if argument.get("allValues"):
            text += f" One of {', '.join(argument['allValues'])}."
        groups.append(([argument], text))
    return groups


def options(arguments):
    lines = []
    for group, text in described(arguments):
        lines += [".TP", ", ".join(label(argument) for argument in group), escaped(text) or "\\&"]
    return "\n".join(lines)


def body(path, command):
    """The sections of one command, and of its subcommands."""
    lines = [usage(path, command), ".PP", escaped(command.get("abstract", "")), ".PP", paragraphs(command.get("discussion", ""))]
    lines.append(options(own(command)))
    for sub in shown(command, "subcommands"):
        lines += [f'.SH "{escaped(sub["commandName"]).upper()}"', body(path + [sub["commandName"]], sub)]
    return "\n".join(line for line in lines if line)


def page(name, abstract, content, version, others):
    """A whole page."""
    return "\n".join([
        f'.TH "{escaped(name).upper()}" "1" "{DATE}" "dualgauge {version}" "User Commands"',
        ".SH NAME", f"{escaped(name)} \\- {escaped(abstract.rstrip('.'))}",
        content,
        '.SH "SEE ALSO"', ",\n".join(f"\\fB{escaped(other)}\\fR(1)" for other in others), ""])


def main(version, folder):
    program = json.load(sys.stdin)["command"]
    root = program["commandName"]
    commands = [command for command in shown(program, "subcommands") if command["commandName"] != "help"]
    list_of_commands = []
    for command in commands:
        name = f"{root}-{command['commandName']}"
        content = ".SH DESCRIPTION\n" + body([root, command["commandName"]], command)
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
            file.write(page(name, command.get("abstract", ""), content, version, [root]))
        list_of_commands += [".TP", f"\\fB{escaped(name)}\\fR(1)", escaped(command.get("abstract", ""))]
    content = "\n".join([
        ".SH SYNOPSIS", usage([root], program), ".SH DESCRIPTION", paragraphs(program.get("discussion", "")),
        ".SH OPTIONS", options(shown(program, "arguments")), ".SH COMMANDS"] + list_of_commands)
    others = [f"{root}-{command['commandName']}" for command in commands]
    with open(os.path.join(folder, root + ".1"), "w", encoding="utf-8") as file:
        file.write(page(root, program.get("abstract", ""), content, version, others))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
