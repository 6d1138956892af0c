"""Other names of commands, so that the palette finds them by what other programs call them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_PHRASES: Final = {
    "show-estimator": "price, calculator, home, what does it cost",
    "show-characters": "personas, bots, agents, list",
    "show-narrative": "story, plot, sections, tree, graph",
    "show-actions": "chat, talk, converse, simulate conversation, prompt, test a reply",
    "show-requests": "log, network, http, traffic, api calls, debug",
    "help": "keys, shortcuts, keyboard, manual, hotkeys, cheat sheet",
    "palette": "search, commands",
    "refresh": "reload, update, reread, fetch, sync",
    "copy-command": "share, colleague, deep link, link to this",
    "copy": "clipboard, yank, curl, copy as curl, share, command line",
    "write-file": "export, csv, export csv, json, markdown, save as, download, excel, save file",
    "show-unreadable": "broken data, decode errors, parse errors, invalid",
    "undo": "revert, roll back, restore, undo",
    "history": (
        "log, changes, audit, plans, resume, what did i change, journal, all changes, who changed, who changed it "
        "and when, who changed it last"
    ),
    "profiles": "account, log out, logout, connect, server, switch, environment, login, url, staging, production",
    "change-api-key": "credentials, password, token, secret, login, key, api key",
    "lock": "read only, read-only, readonly, write protection, safe mode, unlock, protect",
    "theme": "colors, colours, dark theme, light theme, appearance, dark mode, light mode",
    "jump": "go to, focus, panes, tabs",
    "quit": "exit, close, leave the program, bye, :q, end",
    "suspend": "background, shell",
    # the estimator
    "reset-all": "defaults, clear, start over",
    "pin": "remember, bookmark, keep",
    "view-estimate": "price, cost, how much does it cost, credits, total, latency, response time",
    "view-compare": "versus, side by side, difference, pins",
    "open-filter": "load a filter, named filter, saved search",
    "save-filter": "remember this search, name this filter, saved search",
    "save-preset": "remember, store, save configuration, bookmark",
    "open-preset": "load, saved configuration, template",
    "view-rank": "order, speed, slow, faster, sort models, fastest, best model, leaderboard, models, beta, voices",
    "view-explore": "cheap, cheapest, cheapest model, budget, optimize, pareto, best, fast and cheap, recommend",
    "explore-constraints": "limits, budget, filter, requirements, maximum latency",
    "view-what-if": "plot, chart, break-even, curve, tokens",
    "what-if-conversation": "turns, dialogue, chat history, context window",
    "view-subscriptions": "budget, plan, month, monthly, quota, pricing, users, tier, bill, price, money",
    "volume": "users per day, traffic, usage",
    "apply-to-character": "use this model, assign",
    "load-character": "from character, copy settings",
    "learn-rates": "rate card, rates, prices, calibrate, measure, drift",
    # the characters
    "filter-characters": "search, find character, query, grep",
    "fuzzy-filter": "typo, approximate, similar",
    "edit-settings": "change temperature, change model, reasoning, backstory, configure, settings",
    "apply-settings": "save, send, commit, push, submit",
    "show-record": "details, fields, properties, who, prompt, voice",
    "show-raw": "source, raw",
    "show-card": "ticket, summary, support, customer",
    "show-cost": "price, expensive, credits of the character, slow, latency, delay, response time",
    "compare-characters": "diff, difference, versus",
    "compare-profiles": "diff staging production, drift, other environment",
    "bulk-change": (
        "many, change temperature many, mass edit, mass update, bulk, batch, change model of all, replace model, "
        "several"
    ),
    "select-matching": "all, select everything",
    "create-character": "add character, new persona",
    "duplicate-character": "clone, copy character",
    "delete-character": "remove character, drop",
    "revert-setting": "cancel edit, original value",
    "discard-settings": "cancel, throw away, forget changes",
    # the graph
    "pick-character": "open graph of, another story",
    "show-lint": "story errors, problems, check, validate, dead ends, warnings, unreachable, test, stuck",
    "show-walk": "play, simulate, run the story, try, test the story",
    "show-stats": "statistics, duration, how long, words, price of the story",
    "show-map": "diagram, picture, chart, flow, draw",
    "random-walks": "coverage, monte carlo, unreachable sections",
    "replay-walk": "regression test, saved path, fail",
    "fill-keys": "variable, placeholder",
    "fix-story-findings": "repair, autofix",
    "export-story": "mermaid, twine, twee, graphviz, dot, markdown, export text, csv, translate, translation",
    "import-story": "twine, twee, load story, import text, csv, translate, translation, folder",
    "bundle": "backup, export character, folder, git, pull, push, deploy, copy to production, sync",
    "add-section": "new section, node, scene",
    "add-decision": "edge, link, branch, choice",
    "add-trigger": "event",
    "toggle-narrative": "enable, disable, narrative driven, switch off",
    "incoming-links": "references, what leads here, who links",
    "path-from-start": "how do i get here, way here, route",
    "path-from": "how do i get here from, way from, route",
    "apply-story": "save, send, commit, publish",
    # the actions
    "send-turn": "ask, run, try, chat",
    "new-session": "clear conversation, restart, forget",
    "replay-turns": "regression, again",
    "show-turns": "conversation, transcript, log",
    "read-deprecation": "deprecated, end of life, sunset",
    # the requests
    "only-failures": "errors, failed, failed requests, 4xx, 5xx",
    "only-changes": "writes",
}
#: The id of a command → words and phrases that find it.
SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {command_id: tuple(phrases.split(", ")) for command_id, phrases in _PHRASES.items()}
)
#: Commands that a service does not offer: they need an embedded store.
ONLY_IN_STORES: Final = frozenset(
    {"create-character", "duplicate-character", "rename-character", "delete-character", "start-here"}
)
