// Prints docs/troubleshooting.md, for scripts/accept-troubleshooting.

print(Markdown.troubleshooting.text, terminator: "")
