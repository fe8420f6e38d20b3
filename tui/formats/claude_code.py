"""Claude Code transcripts: JSON lines in which most lines are no messages, and one answer takes several lines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from tui.formats.content import block, blocks
from tui.formats.format import Format, Sample
from tui.formats.notes import LINES_KEPT, Notes
from tui.formats.records import Record
from tui.formats.times import seconds
from tui.model import Block, Boundary, Message, Note, Role, Session, Sidechain, TextBlock, ToolResultBlock

NAME = "claude-code"

_OWN_KEYS = ("parentUuid", "isSidechain", "leafUuid", "sessionId")
_NOT_TYPED = (
    "<command-name>",
    "<command-message>",
    "<local-command-stdout>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<task-notification>",
    "<system-reminder>",
    "Caveat:",
    "[Request interrupted by user",
)
"""How user texts begin that the user did not type."""

_TITLES = {"custom-title": ("customTitle", 3), "ai-title": ("aiTitle", 2), "summary": ("summary", 1)}
"""Records that hold a title: its key, and how much it is preferred."""

_LONGEST_TITLE = 200


class _Thread:
    """The messages of the main thread, or of one subagent.

    The lines of one answer (one ``message.id``) become one message as long as nothing but tool results lies
    between them, so that its calls come first and all their results after it.
    """

    def __init__(self, before: int = 0) -> None:
        self.before = before
        self.boundaries: list[Boundary] = []
        self._messages: list[Message] = []
        self._answer: str | None = None
        self._request: Any = None
        self._index = 0
        self._parts: list[Message] = []

    def __len__(self) -> int:
        return len(self._messages)

    def user(self, message: Message) -> None:
        """Append a message of the user."""
        if self._answer is not None and not _only_results(message.blocks):
            self._close()
        self._messages.append(message)

    def assistant(self, message: Message, answer: Any, request: Any) -> None:
        """Append an answer, or a part of one; ``answer`` is its id, ``request`` that of the request it answers."""
        # Some gateways use one id for everything; where the requests are named, they differ then.
        same_request = request is None or self._request is None or request == self._request
        if self._answer is not None and answer == self._answer and same_request:
            self._parts.append(message)
            return
        self._close()
        self._answer = answer if type(answer) is str and answer else None
        self._request = request
        self._index = len(self._messages)
        self._messages.append(message)

    def _close(self) -> None:
        """Merge the answer; no more can be added to it."""
        if self._parts:
            self._merge()
        self._answer = None

    def _merge(self) -> None:
        """Put the parts of the answer into its message."""
        parts = [self._messages[self._index], *self._parts]
        self._parts.clear()
        self._messages[self._index] = Message(
            "assistant",
            tuple(chain.from_iterable(part.blocks for part in parts)),
            # An answer was finished when its last line was written.
            next((part.timestamp for part in reversed(parts) if part.timestamp is not None), None),
            tuple(chain.from_iterable(part.source_lines for part in parts)),
            sidechain=parts[0].sidechain,
            error=any(part.error for part in parts),
        )

    def bound(self, trigger: str, pre_tokens: int | None) -> None:
        """Note that the conversation was compacted here."""
        self._close()
        self.boundaries.append(Boundary(len(self._messages), trigger, pre_tokens))

    def messages(self) -> tuple[Message, ...]:
        """The messages so far."""
        if self._parts:
            self._merge()
        return tuple(self._messages)


class ClaudeCodeReader:
    """Reads a transcript record by record; keeps nothing of a record but its message.

    Args:
        source: Name of the file.
        notes: Where what is skipped is counted.
    """

    def __init__(self, source: str, notes: Notes) -> None:
        self._source = source
        self._notes = notes
        self._main = _Thread()
        self._sides: dict[str, _Thread] = {}
        self._side_of: dict[str, str] = {}
        self._seen: set[int] = set()
        self._title: tuple[int, str] | None = None
        self._branches = _Branches()

    def feed(self, record: Record, place: int, text: str) -> None:
        """Take the next record."""
        kind = record.get("type")
        if kind == "assistant" or kind == "user":
            message = record.get("message")
            if type(message) is dict:
                self._message(record, kind, message.get("id"), blocks(message.get("content")), place, text)
            elif isinstance(message, str) or "content" in record:
                # Older variants have the content in the record itself.
                content = message if isinstance(message, str) else record["content"]
                self._message(record, kind, None, blocks(content), place, text)
            else:
                self._skip(record, f"{kind} without a message", place)
        elif kind == "tool_use" or kind == "tool_result":
            # One variant has no assistant records, but calls and results as records of their own.
            role: Role = "assistant" if kind == "tool_use" else "user"
            self._message(record, role, None, (_flat_block(record),), place, text)
        elif kind == "system" and record.get("subtype") == "compact_boundary":
            self._bound(record, place, text)
        else:
            self._skip(record, kind, place)

    def _is_copy(self, text: str, place: int) -> bool:
        """Whether the whole record was there before. The uuid is no proof: some files have one for all."""
        seen = self._seen
        size = len(seen)
        seen.add(hash(text))
        if len(seen) > size:
            return False
        self._notes.add("records written again, word for word", place)
        return True

    def _message(self, record: Record, role: Role, answer: Any, made: tuple[Block, ...], place: int, text: str) -> None:
        uuid: Any = record.get("uuid")
        has_uuid = type(uuid) is str
        if has_uuid and self._is_copy(text, place):
            return
        stamp = record.get("timestamp")
        timestamp = seconds(stamp)
        if timestamp is None and stamp is not None:
            self._notes.add("timestamps unreadable", place, "info")
        sidechain = record.get("isSidechain") is True
        if sidechain:
            thread = self._side(record)
        else:
            thread = self._main
            if has_uuid:
                self._branches.messages[uuid] = record.get("parentUuid")
        if role == "assistant":
            error = record.get("isApiErrorMessage") is True
            one = Message("assistant", made, timestamp, (place,), False, False, sidechain, error)
            thread.assistant(one, answer, record.get("requestId"))
            return
        summary = record.get("isCompactSummary") is True
        meta = summary or record.get("isMeta") is True or _not_typed(record, made)
        thread.user(Message("user", made, timestamp, (place,), meta, summary, sidechain))
        if has_uuid and not meta and not sidechain and made and type(made[0]) is TextBlock:
            self._branches.prompts.append((uuid, place))

    def _side(self, record: Record) -> _Thread:
        """The subagent's thread that ``record`` belongs to; without an agent's id its parent tells."""
        uuid = record.get("uuid")
        agent = record.get("agentId")
        if type(agent) is not str:
            parent = record.get("parentUuid")
            agent = self._side_of.get(parent) if type(parent) is str else None
            if agent is None:
                # A key that no agent has, one for each root.
                agent = f"\0{len(self._sides)}"
            if type(uuid) is str:
                self._side_of[uuid] = agent
        thread = self._sides.get(agent)
        if thread is None:
            thread = self._sides[agent] = _Thread(len(self._main))
        return thread

    def _skip(self, record: Record, kind: Any, place: int) -> None:
        """Count a record that is no message; from some the title is taken."""
        self._branches.stand_between(record)
        if kind == "system" and isinstance(record.get("subtype"), str):
            kind = f"system ({record['subtype']})"
        elif isinstance(kind, str) and kind in _TITLES:
            key, rank = _TITLES[kind]
            title = record.get(key)
            if isinstance(title, str) and title.strip():
                if self._title is None or rank >= self._title[0]:
                    self._title = (rank, title.strip()[:_LONGEST_TITLE])
                return
        self._notes.skip_record(kind, place)

    def _bound(self, record: Record, place: int, text: str) -> None:
        self._branches.stand_between(record)
        if type(record.get("uuid")) is str and self._is_copy(text, place):
            return
        data = record.get("compactMetadata")
        data = data if isinstance(data, dict) else {}
        trigger = data.get("trigger")
        tokens = data.get("preTokens")
        if data.get("preservedMessages"):
            self._notes.add("compact boundaries that kept messages from before them in the model's view", place, "info")
        thread = self._side(record) if record.get("isSidechain") is True else self._main
        thread.bound(
            trigger if isinstance(trigger, str) else "",
            tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None,
        )

    def fields(self, fields: Mapping[str, Any]) -> None:
        """Transcripts are no documents."""

    def count(self) -> int:
        """How many messages there are so far."""
        return len(self._main) or sum(map(len, self._sides.values()))

    def snapshot(self) -> Session:
        """The session so far. Where all messages are a subagent's, they are the session."""
        messages = self._main.messages()
        boundaries = self._main.boundaries
        sides: tuple[Sidechain, ...] = ()
        if messages or not self._sides:
            sides = tuple(
                Sidechain("" if agent.startswith("\0") else agent, side.before, side.messages())
                for agent, side in self._sides.items()
            )
        elif len(self._sides) == 1:
            only = next(iter(self._sides.values()))
            messages = only.messages()
            boundaries = only.boundaries
        else:
            every = (message for side in self._sides.values() for message in side.messages())
            messages = tuple(sorted(every, key=lambda message: message.source_lines))
        notes = self._notes.freeze()
        abandoned = self._branches.abandoned()
        if abandoned:
            text = "prompts on a branch that was left by an edit or a rewind; they stand in the order of the file"
            notes += (Note(text, len(abandoned), tuple(abandoned[:LINES_KEPT]), "info"),)
        return Session(
            format=NAME,
            messages=messages,
            title=self._title[1] if self._title else None,
            source=self._source,
            notes=notes,
            boundaries=tuple(boundaries),
            sidechains=sides,
        )


class _Branches:
    """The tree of records, to find prompts on a branch that was left: edited, or rewound past.

    Attributes:
        messages: What each message of the main thread names as its parent, by uuid.
        others: The same for records that are no messages, but may stand between two.
        prompts: The texts that the user typed: uuid and line.
    """

    def __init__(self) -> None:
        self.messages: dict[str, Any] = {}
        self.others: dict[str, Any] = {}
        self.prompts: list[tuple[str, int]] = []

    def stand_between(self, record: Record) -> None:
        """Take a record that is no message."""
        uuid = record.get("uuid")
        if type(uuid) is str:
            self.others[uuid] = record.get("parentUuid") or record.get("logicalParentUuid")

    def _ancestor(self, uuid: str) -> str | None:
        """The nearest message above ``uuid``, or what a dangling link names."""
        parent = self.messages[uuid]
        passed: set[str] = set()
        while type(parent) is str and parent in self.others and parent not in passed:
            passed.add(parent)
            parent = self.others[parent]
        return parent if type(parent) is str else None

    def abandoned(self) -> list[int]:
        """Lines of the prompts whose sibling, not they, led to the last message."""
        siblings: dict[str, dict[str, int]] = {}
        for uuid, line in self.prompts:
            ancestor = self._ancestor(uuid)
            if ancestor is not None:
                siblings.setdefault(ancestor, {})[uuid] = line
        forks = [group for group in siblings.values() if len(group) > 1]
        if not forks:
            return []
        path: set[str] = set()
        at: Any = next(reversed(self.messages))
        while type(at) is str and at not in path:
            path.add(at)
            at = self.messages[at] if at in self.messages else self.others.get(at)
        followed = [group for group in forks if not path.isdisjoint(group)]
        return sorted(line for group in followed for uuid, line in group.items() if uuid not in path)


def _only_results(made: tuple[Block, ...]) -> bool:
    for one in made:
        if type(one) is not ToolResultBlock:
            return False
    return bool(made)


def _not_typed(record: Record, made: tuple[Block, ...]) -> bool:
    origin = record.get("origin")
    if type(origin) is dict and origin.get("kind", "human") != "human":
        return True
    first = made[0] if made else None
    return type(first) is TextBlock and first.text.lstrip().startswith(_NOT_TYPED)


def _flat_block(record: Record) -> Block:
    keys = ("type", "id", "name", "input", "tool_use_id", "content", "is_error")
    return block({key: record[key] for key in keys if key in record})


def _recognise(sample: Sample) -> bool:
    return sample.has(*_OWN_KEYS) or sample.any(
        lambda record: record.get("type") in ("user", "assistant") and isinstance(record.get("message"), dict)
    )


FORMAT = Format(
    NAME,
    "Claude Code transcripts (~/.claude/projects/*/*.jsonl)",
    lines=_recognise,
    open=ClaudeCodeReader,
)
